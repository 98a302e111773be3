import { type CliSettings, callCli } from './container-cli.ts';
import { hostLabel, isAlive, ownerLabel } from './container-owner.ts';

/**
 * Stops and removes the containers of processes of this machine that no longer run: those that were killed together with
 * their watchdog.
 * @param signal gives up.
 * @returns how many there were.
 * @throws Error when they cannot be listed.
 */
export async function removeOrphans(cli: CliSettings, host: string, signal: AbortSignal): Promise<number> {
  const { code, stdout, error } = await callCli(cli, [
    'ps',
    '--all',
    '--quiet',
    '--filter',
    `label=${hostLabel}=${host}`,
  ]);
  if (code !== 0) throw new Error(error);
  const found = stdout.split('\n').filter(Boolean);
  if (found.length === 0) return 0;
  const format = `{{.Id}} {{index .Config.Labels "${ownerLabel}"}}`;
  const inspected = await callCli(cli, ['inspect', '--format', format, ...found], { signal });
  const listed = inspected.stdout.split('\n').map((line) => line.trim().split(' '));
  const ids = listed.flatMap(([id = '', owner = '']) => (id !== '' && !isAlive(owner) ? [id] : []));
  if (ids.length > 0) await callCli(cli, ['rm', '--force', '--volumes', ...ids], { signal });
  return ids.length;
}
