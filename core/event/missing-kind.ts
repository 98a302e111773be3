/** Says that a kind of event sources is missing. */
export function missingKind(kind: string): string {
  return `no loaded plugin provides the event source kind ${kind}`;
}
