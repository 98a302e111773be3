import type { Io } from '../cli/io.ts';

/** What to type next, spelt as the service itself was called. */
export function nextCommand(
  { environment }: Pick<Io, 'environment'>,
  { isEmpty }: { readonly isEmpty: boolean },
): string {
  const { npm_command: npm, npm_lifecycle_event: script } = environment;
  const horarium = npm === 'exec' ? 'npx horarium' : script ? 'npm run -s horarium --' : 'horarium';
  return `${horarium} ${isEmpty ? 'company:save --code acme --name "Acme"' : 'task:list'}`;
}
