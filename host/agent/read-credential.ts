import { resolve } from 'node:path';
import { HorariumError } from '@horarium/core';
import type { Io } from '../cli/io.ts';
import { publicFileWarning, readSecret, type SecretOrigin, systemdCredential } from '../config/secret-files.ts';

/** The name of the credential of systemd that holds the credential of an agent. */
const credentialName = 'agent_credential';

/**
 * Reads the credential of an agent from a file, or else from systemd, and warns where every user of the machine can read it.
 * @param file as the operator named it; undefined = the credential of systemd.
 * @throws HorariumError `invalid` with a sentence where there is none or it cannot be read.
 */
export async function readCredential(
  file: string | undefined,
  { environment, folder, err }: Pick<Io, 'environment' | 'folder' | 'err'>,
): Promise<string> {
  const origin: SecretOrigin | null =
    file === undefined
      ? await systemdCredential(environment, credentialName)
      : { path: resolve(folder, file), name: '--credential' };
  if (!origin)
    throw new HorariumError(
      'invalid',
      `An agent needs a credential: --credential names the file that holds it, or systemd passes it as ${credentialName}.`,
    );
  const { content, isPublic } = await readSecret(origin).catch((error: Error) => {
    throw new HorariumError('invalid', error.message);
  });
  if (isPublic) await err(`${publicFileWarning(origin)}\n`);
  return content;
}
