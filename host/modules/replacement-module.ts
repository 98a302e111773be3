import { didYouMean, HorariumError } from '@horarium/core';
import { ContainerModule, type ServiceIdentifier } from 'inversify';
import { replaceableServices, serviceIds } from '../service-ids.ts';

/**
 * Checks what a module of a custom host binds. It is loaded before the stock modules, which bind only what is missing, so
 * `bind` and `rebind` mean the same in it.
 * @throws HorariumError `invalid`, when it is loaded, for a service that cannot be replaced or is bound already.
 */
export function replacementModule(module: ContainerModule): ContainerModule {
  return new ContainerModule((options) => {
    const bind = <T>(id: ServiceIdentifier<T>) => {
      assertReplaceable(id);
      if (options.isBound(id))
        throw new HorariumError('invalid', `The service ${nameOf(id)} is bound twice by the modules of this host.`);
      return options.bind(id);
    };
    return module.load({
      ...options,
      bind,
      rebind: bind,
      rebindAsync: async (id) => bind(id),
      onActivation(id, activate) {
        assertReplaceable(id);
        options.onActivation(id, activate);
      },
      onDeactivation(id, deactivate) {
        assertReplaceable(id);
        options.onDeactivation(id, deactivate);
      },
    });
  });
}

function assertReplaceable(id: ServiceIdentifier): void {
  if (replaceableServices.some((name) => serviceIds[name] === id)) return;
  const name = nameOf(id);
  const hint = name in serviceIds ? '' : didYouMean(name, replaceableServices);
  const names = replaceableServices.join(', ');
  throw new HorariumError(
    'invalid',
    `A module of this host binds ${name}, but modules may replace only ${names}.${hint}`,
  );
}

/** Names a service as `serviceIds` does, and anything else as well as possible. */
function nameOf(id: ServiceIdentifier | undefined): string {
  if (typeof id === 'symbol') return (id.description ?? 'a symbol').replace(/^horarium\./, '');
  return typeof id === 'function' ? id.name : String(id);
}
