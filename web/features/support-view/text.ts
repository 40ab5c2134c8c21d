export const viewText = {
  label: 'View of a customer',
  viewing: (name: string) => `You see the pages of ${name}, read only.`,
  left: (time: string) => `${time} left`,
  end: 'End',
}
