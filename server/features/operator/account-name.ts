/**
 * SQL: what the lists of the console call an account `a`. Personal workspaces have the same name: their person's address tells them
 * apart. Not for the operators' log, which outlives the person.
 */
export const shownName = `coalesce((select nullif(p.email, '') from profiles p where p.user_id = a.personal_of), a.name)`
