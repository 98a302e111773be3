import type { ServiceWorld } from '../../support/faults/service-world.ts';
import { openTarget, worldOf } from '../own-target.ts';
import type { Client, Target, User } from '../target.ts';

/** A value that no response shows. */
export const secret = 'the planted secret of the matrix';
/** The address from which a proxy that is trusted connects. */
export const proxyAddress = '127.0.0.2';

/** A company, a member with each role, and a record of each kind that it owns. */
export interface Owner {
  readonly company: number;
  readonly app: number;
  readonly template: number;
  readonly external: number;
  readonly credential: number;
  readonly job: number;
  readonly artifact: number;
  readonly companyAdmin: Client;
  readonly manager: Client;
  readonly operator: Client;
  readonly viewer: Client;
}

/** Everybody whom SECURITY.md speaks of, on one running service. */
export interface Cast extends AsyncDisposable {
  readonly target: Target;
  readonly world: ServiceWorld;
  readonly superAdmin: User;
  readonly admin: User;
  readonly editor: User;
  readonly stranger: User;
  readonly own: Owner;
  readonly other: Owner;
}

export async function openCast(): Promise<Cast> {
  const { target, [Symbol.asyncDispose]: dispose } = await openTarget('sqlite', {
    HORARIUM_TRUST_PROXY: proxyAddress,
    HORARIUM_MAX_OUTPUT: '64KiB',
    // Root has to say that jobs may run as root where a proxy is trusted.
    ...(process.getuid?.() === 0 && { HORARIUM_RUN_AS: 'root' }),
  });
  return {
    target,
    world: worldOf(target),
    superAdmin: await target.addUser('super_admin'),
    admin: await target.addUser('admin'),
    editor: await target.addUser('editor'),
    stranger: await target.addUser(),
    own: await openOwner(target),
    other: await openOwner(target),
    [Symbol.asyncDispose]: dispose,
  };
}

async function openOwner(target: Target): Promise<Owner> {
  const tenant = await target.addTenant();
  const [companyAdmin, viewer] = [await target.addUser(), await target.addUser()];
  await target.admin.save(`company/${tenant.id}/user`, { user_id: companyAdmin.id, role: 'admin' });
  await target.admin.save(`company/${tenant.id}/user`, { user_id: viewer.id, role: 'viewer' });
  const declared = {
    environment: { TEXT: {}, SECRET: { type: 'secret' } },
    artifacts: [{ name: 'kept', path: '^kept' }],
  };
  const app = await target.addShellApp('echo "$TEXT $SECRET"; echo kept >kept.txt', declared);
  const values = { name: 'Planted', company_id: tenant.id, values: { SECRET: secret } };
  const { id: credential } = await tenant.manager.save('credential', values);
  const template = await target.addTemplate(tenant, app, { credentials: [credential], environment: { TEXT: 'text' } });
  const external = await target.addTemplate(tenant, app, { executor: 'external', environment: { SECRET: secret } });
  const job = await target.run(tenant, template);
  return {
    company: tenant.id,
    app,
    template,
    external,
    credential,
    job: job.id,
    artifact: job.artifacts?.[0]?.id,
    companyAdmin: companyAdmin.client,
    manager: tenant.manager,
    operator: tenant.operator,
    viewer: viewer.client,
  };
}
