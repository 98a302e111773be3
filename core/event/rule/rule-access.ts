/**
 * Whether a source lets the rules of a company react to it: those of the companies that it lists; where it lists none, only
 * those that admins saved.
 */
export function mayReact(
  { company_id, by_admin }: { readonly company_id: number | null; readonly by_admin: boolean },
  companies: readonly number[],
): boolean {
  return companies.length === 0 ? by_admin : company_id !== null && companies.includes(company_id);
}
