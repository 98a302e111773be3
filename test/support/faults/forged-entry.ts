/** Returns the SQL statement that inserts the copy of an entry, with other values in some columns. */
export function copyOf(entry: number, set: Readonly<Record<string, string>>): string {
  const columns = ['created_at', 'channel', 'actor', 'action', 'entity_type', 'entity_id', 'changes', 'forged', 'mac'];
  const names = [...columns, 'nonce', 'seq', 'hash'];
  const values = names.map((name) => set[name] ?? (name === 'seq' || name === 'hash' ? 'null' : name));
  return `insert into horarium_audit_log (${names}) select ${values} from horarium_audit_log where id = ${entry}`;
}
