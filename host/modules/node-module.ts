import { ContainerModule } from 'inversify';
import { NodeDigests } from '../../adapters/node/node-digests.ts';
import { argonHasher } from '../../adapters/node/password-hasher.ts';
import { openVault } from '../store/open-vault.ts';
import { tokens } from '../tokens.ts';

/** What Node and the operating system do for the core. */
export const nodeModule = new ContainerModule(({ bind }) => {
  bind(tokens.digests).toResolvedValue(() => new NodeDigests());
  bind(tokens.passwords).toConstantValue(argonHasher);
  bind(tokens.vault).toResolvedValue((config, { store }) => openVault(config, store), [tokens.config, tokens.opened]);
});
