interface Named {
  name: string
  owner_email: string | null
  personal: boolean
}

/** How a customer is called: Personal workspaces all have one name, and their owner tells them apart. */
export const customerName = ({ name, owner_email, personal }: Named): string => (personal && owner_email) || name

/** The other of both. */
export const customerNote = ({ name, owner_email, personal }: Named): string =>
  personal ? name : (owner_email ?? 'No owner')
