import type { Clock } from '@horarium/core';
import { ContainerModule } from 'inversify';
import type { OpenedStore } from '../../adapters/mikro-orm/open-store.ts';
import type { Config } from '../config/settings.ts';
import { tokens } from '../tokens.ts';

/** The store; `open` says whether it may be made where there is none. */
export function storeModule(open: (config: Config, clock: Clock) => Promise<OpenedStore>): ContainerModule {
  return new ContainerModule(({ bind, onDeactivation }) => {
    bind(tokens.opened).toResolvedValue(open, [tokens.config, tokens.clock]);
    onDeactivation(tokens.opened, ({ store }) => store.close());
  });
}
