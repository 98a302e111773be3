import { ContainerModule } from 'inversify';
import { systemClock } from '../../adapters/node/system-clock.ts';
import type { Config } from '../config/settings.ts';
import { tokens } from '../tokens.ts';

/** The settings, and the time by which they are meant. */
export function settingsModule(config: Config): ContainerModule {
  return new ContainerModule(({ bind }) => {
    bind(tokens.config).toConstantValue(config);
    bind(tokens.clock).toConstantValue(systemClock);
  });
}
