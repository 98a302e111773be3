import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import { ContainerModule, type ServiceIdentifier } from 'inversify';
import { Host } from '../../host/host.ts';
import { serviceIds } from '../../host/service-ids.ts';
import { rejectionOf } from '../support/mocha/rejection-of.ts';

interface Part {
  readonly name: string;
}

describe('Host', () => {
  const store = serviceIds.store as unknown as ServiceIdentifier<Part>;
  const core = serviceIds.core as unknown as ServiceIdentifier<Part>;
  const events: string[] = [];
  beforeEach(() => {
    events.length = 0;
  });

  const close = async ({ name }: Part) => {
    await turn();
    events.push(`${name} closes`);
  };
  const part = (token: ServiceIdentifier<Part>, name: string, needs: ServiceIdentifier<Part>[], closePart = close) =>
    new ContainerModule(({ bind, onDeactivation }) => {
      bind(token).toResolvedValue(async (...parts: Part[]) => {
        events.push(`${name} opens on ${parts.map((each) => each.name).join() || 'nothing'}`);
        return { name };
      }, needs);
      onDeactivation(token, closePart);
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

  it('closes services in that order whichever module was added first', async () => {
    const host = new Host();
    await host.add(part(core, 'core', [store]), part(store, 'store', []));
    await host.get(core);
    await host[Symbol.asyncDispose]();
    expect(events.slice(2)).to.deep.equal(['core closes', 'store closes']);
  });

  it('does not close a service that was never opened', async () => {
    const host = new Host();
    await host.add(part(store, 'store', []), part(core, 'core', [store]));
    await host.get(store);
    await host[Symbol.asyncDispose]();
    expect(events).to.deep.equal(['store opens on nothing', 'store closes']);
  });

  it('fails to open a service with its error alone, and closes those that were opened for it', async () => {
    const failure = new Error('the disk is full');
    const fail = (_store: Part): Promise<Part> => Promise.reject(failure);
    const broken = new ContainerModule(({ bind }) => {
      bind(core).toResolvedValue(fail, [store]);
    });
    const work = async () => {
      await using host = new Host();
      await host.add(part(store, 'store', []), broken);
      await host.get(core);
    };
    expect(await rejectionOf(work())).to.equal(failure);
    expect(events).to.deep.equal(['store opens on nothing', 'store closes']);
  });

  it('closes the other services when one of them cannot be closed', async () => {
    const host = new Host();
    const fail = () => Promise.reject(new Error('the core is stuck'));
    await host.add(part(store, 'store', []), part(core, 'core', [store], fail));
    await host.get(core);
    expect((await rejectionOf(host[Symbol.asyncDispose]())).message).to.equal('the core is stuck');
    expect(events.at(-1)).to.equal('store closes');
  });
});
