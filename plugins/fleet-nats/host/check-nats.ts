import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import { HorariumError } from '@horarium/core/plugin';
import { jetstreamManager } from '@nats-io/jetstream';
import { readExistingHostKeys } from '../wire/keys/host-keys.ts';
import type { PrivateKeys } from '../wire/keys/keys.ts';
import { connectNats } from '../wire/nats/connect-nats.ts';
import { countWaitingReports } from '../wire/nats/streams.ts';
import { Subjects } from '../wire/subjects.ts';
import { WireError } from '../wire/wire-error.ts';
import { areOtherKeysUsed, keysDiffer } from './health/other-host-keys.ts';
import { hostAccess } from './host-access.ts';
import type { FleetOptions } from './settings.ts';

/**
 * Connects to NATS as the hosts do, and looks at the streams; nothing is made.
 * @returns what it found. @throws HorariumError with a sentence that says what is wrong.
 */
export async function checkNats(options: FleetOptions): Promise<string> {
  try {
    const subjects = new Subjects(options.subject_prefix);
    const access = await hostAccess(options, subjects, readKeysOfService);
    const connection = await connectNats(access);
    try {
      const server = connection.getServer();
      const manager = await jetstreamManager(connection, { checkAPI: false });
      const waiting = await countWaitingReports(connection, subjects);
      const own = access.keys.publicKeys.texts.signing;
      if (waiting !== null && (await areOtherKeysUsed(manager, subjects, own, Date.now())))
        throw new WireError(keysDiffer);
      return `${server} lets the hosts in; ${waitingText(waiting)}`;
    } finally {
      await connection.close();
    }
  } catch (error) {
    if (error instanceof WireError) throw new HorariumError('unavailable', error.message);
    throw error;
  }
}

/** Reads the keys of the hosts. @throws WireError also where root alone may read them in a folder of another user. */
function readKeysOfService(path: string): PrivateKeys {
  const keys = readExistingHostKeys(path);
  if (statSync(path).uid !== 0) return keys;
  const { uid } = statSync(dirname(path));
  if (uid === 0) return keys;
  throw new WireError(
    `The key file of the hosts ${path} belongs to root, and its folder to the user of the service: chown --reference=${dirname(path)} ${path}`,
  );
}

function waitingText(waiting: number | null): string {
  if (waiting === null) return 'the service makes its streams when it starts';
  if (waiting === 0) return 'no report of an agent waits there';
  return waiting === 1 ? 'a report of an agent waits there' : `${waiting} reports of agents wait there`;
}
