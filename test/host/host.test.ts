import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { ContainerModule, type ServiceIdentifier } from 'inversify';
import { pino } from 'pino';
import { readConfig } from '../../host/config/read-config.ts';
import { Host } from '../../host/host.ts';
import { httpModule } from '../../host/modules/http-module.ts';
import { openCommandHost } from '../../host/open-host.ts';
import { serviceIds } from '../../host/service-ids.ts';
import { TestCli } from '../support/program/test-cli.ts';

interface Part {
  readonly name: string;
}

describe('Host', () => {
  const store = Symbol('store') as ServiceIdentifier<Part>;
  const core = Symbol('core') as ServiceIdentifier<Part>;
  const events: string[] = [];
  beforeEach(() => {
    events.length = 0;
  });

  const part = (token: ServiceIdentifier<Part>, name: string, needs: ServiceIdentifier<Part>[]) =>
    new ContainerModule(({ bind }) => {
      bind(token)
        .toResolvedValue(async (...parts: Part[]) => {
          events.push(`${name} opens on ${parts.map((each) => each.name).join() || 'nothing'}`);
          return { name };
        }, needs)
        .inSingletonScope()
        .onDeactivation(async () => {
          await nextTurn();
          events.push(`${name} closes`);
        });
    });

  it('opens a service once, when it is first needed, and closes services in the opposite order', async () => {
    const host = new Host();
    await host.add(part(store, 'store', []), part(core, 'core', [store]));
    expect(events).to.deep.equal([]);
    expect(await host.get(core)).to.equal(await host.get(core));
    await host[Symbol.asyncDispose]();
    await host[Symbol.asyncDispose]();
    expect(events).to.deep.equal(['store opens on nothing', 'core opens on store', 'core closes', 'store closes']);
  });

  it('does not close a service that was never opened', async () => {
    const host = new Host();
    await host.add(part(store, 'store', []), part(core, 'core', [store]));
    await host.get(store);
    await host[Symbol.asyncDispose]();
    expect(events).to.deep.equal(['store opens on nothing', 'store closes']);
  });

  it('waits until the store and the server of the service are closed', async () => {
    using cli = new TestCli();
    const { config } = readConfig({
      environment: cli.environment,
      flags: {},
      machine: { cores: 2, timezone: 'UTC', terminal: false },
    });
    const host = await openCommandHost(config, { folder: cli.folder }, { mayCreateStore: true });
    await host.add(httpModule(pino({ level: 'silent' }), undefined));
    const { store, schema } = await host.get(serviceIds.openedStore);
    await schema.migrate();
    const server = await host.get(serviceIds.server);
    const closed: string[] = [];
    for (const [name, part] of [
      ['store', store],
      ['server', server],
    ] as const) {
      const close: (grace: number) => Promise<void> = part.close.bind(part);
      part.close = async (grace = 0) => {
        await nextTurn();
        await close(grace);
        closed.push(name);
      };
    }
    await host[Symbol.asyncDispose]();
    expect(closed).to.deep.equal(['server', 'store']);
  });
});
