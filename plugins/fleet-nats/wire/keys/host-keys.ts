import { createKeyFile, readKeyFile } from '@horarium/core/node';
import { WireError } from '../wire-error.ts';
import { PrivateKeys } from './keys.ts';

const noun = 'key file of the hosts';

/**
 * Reads the keys that all hosts of a service share; creates the file, for its owner alone, where there is none. Every
 * credential of an agent names these keys, so each host needs the same file.
 * @throws HorariumError `unavailable` for a file that cannot be read or created, or that others may read; WireError for one
 *   whose content is no seeds.
 */
export function readHostKeys(path: string): PrivateKeys {
  return keysIn(path, readKeyFile(path, noun) ?? createKeyFile(path, noun, newSeeds));
}

/** Reads them like `readHostKeys`, and creates no file. @throws as `readHostKeys`, WireError also where there is no file. */
export function readExistingHostKeys(path: string): PrivateKeys {
  const text = readKeyFile(path, noun);
  if (text === undefined) throw new WireError(`There is no ${noun} ${path}: the service makes it when it starts.`);
  return keysIn(path, text);
}

function keysIn(path: string, text: string): PrivateKeys {
  const [signing = '', sealing = '', ...others] = text.split(/[\s,]+/);
  try {
    if (others.length > 0) throw new WireError('More follows the two seeds.');
    return new PrivateKeys({ signing, sealing });
  } catch (error) {
    throw new WireError(`The ${noun} ${path} must hold two seeds, one a line. ${(error as Error).message}`);
  }
}

function newSeeds(): string {
  const { signing, sealing } = PrivateKeys.generate().seeds();
  return `${signing}\n${sealing}`;
}
