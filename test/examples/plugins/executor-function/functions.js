import { once } from 'node:events';

/** @typedef {import('@horarium/core/plugin').AsyncAttempt} Attempt */

export async function succeeds() {}

export async function fails() {
  return { exitCode: 3 };
}

/** @param {Attempt} attempt */
export async function writes({ write }) {
  await write('out');
  await write('err', 'stderr');
}

/** @param {Attempt} attempt */
export async function writesMebibyte({ write }) {
  await write('x'.repeat(1024 * 1024));
}

/** @param {Attempt} attempt */
export async function runsUntilStopped({ signal }) {
  if (!signal.aborted) await once(signal, 'abort');
}

/** @param {Attempt} attempt */
export async function echoesStdin({ stdin, write }) {
  await write(stdin ?? '');
}

/** @param {Attempt} attempt */
export async function writesGreeting({ environment, write }) {
  await write(environment['GREETING'] ?? '');
}
