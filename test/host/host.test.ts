import { expect } from 'chai';
import { ContainerModule, type ServiceIdentifier } from 'inversify';
import { Host } from '../../host/host.ts';

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
    new ContainerModule(({ bind, onDeactivation }) => {
      bind(token).toResolvedValue(async (...parts: Part[]) => {
        events.push(`${name} opens on ${parts.map((each) => each.name).join() || 'nothing'}`);
        return { name };
      }, needs);
      onDeactivation(token, async () => {
        await null;
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
});
