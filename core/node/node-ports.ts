import { hostname } from 'node:os';
import { assertKnownOptions } from '../errors.ts';
import type { Clock } from '../loop/clock.ts';
import type { PasswordHasher } from '../secret/password-hasher.ts';
import type { Vault } from '../secret/vault.ts';
import type { Digests } from '../user/digests.ts';
import { createKeyFile, readKeyFile } from './key-file.ts';
import { nodeClock } from './node-clock.ts';
import { NodeDigests } from './node-digests.ts';
import { EphemeralVault, NodeVault } from './node-vault.ts';
import { scryptHasher } from './scrypt-hasher.ts';

/** The key of the vault: a text, the file that holds it, or neither for a random key, which a store in memory needs. */
export interface NodePortsOptions {
  /** Keys as `newVaultKey` generates them, newest first, separated by commas. @default those in `vaultKeyFile` */
  readonly vaultKey?: string | undefined;
  /**
   * A file with the keys, readable by its owner only; created with a new key where there is none.
   * @default none: without `vaultKey` a random key is used
   */
  readonly vaultKeyFile?: string | undefined;
}

/** The ports of the core that Node itself can implement. */
export interface NodePorts {
  readonly vault: Vault;
  readonly digests: Digests;
  readonly passwordHasher: PasswordHasher;
  readonly clock: Clock;
  /** The name of this machine. */
  readonly host: string;
}

/**
 * Makes the ports that Node itself can implement: `new Core({ ...nodePorts({ vaultKey }), store, executors })`.
 * @throws HorariumError `invalid` for a text that is no key, and for an option that there is none of; `unavailable` for a file that cannot be read or created.
 */
export function nodePorts(options: NodePortsOptions = {}): NodePorts {
  assertKnownOptions('nodePorts', options, ['vaultKey', 'vaultKeyFile']);
  const { vaultKey, vaultKeyFile } = options;
  const keys = vaultKey ?? (vaultKeyFile === undefined ? undefined : keysOf(vaultKeyFile));
  return {
    vault: keys === undefined ? new EphemeralVault() : new NodeVault(keys),
    digests: new NodeDigests(),
    passwordHasher: scryptHasher,
    clock: nodeClock,
    host: hostname(),
  };
}

function keysOf(file: string): string {
  return readKeyFile(file) ?? createKeyFile(file);
}
