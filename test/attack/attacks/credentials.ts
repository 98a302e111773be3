import type { Attack } from '../attack.ts';

const requiredField: Attack = {
  claim: 'A field that a credential type makes required breaks no job, and the change names whom it affects',
  attempt: async (target) => {
    const tenant = await target.addTenant();
    const type = { code: `type-${tenant.code}`, name: 'Attacked' };
    const { id: credential_type_id } = await target.admin.save('credential_type', {
      ...type,
      fields: [{ keyword: 'FIRST' }],
    });
    const credential = { name: 'Attacked', company_id: tenant.id, credential_type_id, values: { FIRST: 'first' } };
    const { id: credential_id } = await tenant.manager.save('credential', credential);
    const app = await target.addShellApp('echo "$FIRST"', { environment: { FIRST: {} } });
    const template = await target.addTemplate(tenant, app, { credentials: [credential_id] });
    const fields = [{ keyword: 'FIRST' }, { keyword: 'SECOND', required: true }];
    for (const query of ['?dry_run=true', '']) {
      const path = `/credential_type/${credential_type_id}.json${query}`;
      const { status, headers, text } = await target.admin.post(path, { fields });
      if (status !== 200) return `POST ${path} responded with ${status}: ${text}`;
      const warning = headers.get('warning') ?? '';
      if (!warning.includes(`${credential_id}`)) return `POST ${path} does not name the credential: ${warning}`;
    }
    const { state, reason, stdout } = await target.run(tenant, template);
    return state === 'succeeded' && stdout === 'first\n' ? null : `a job ${state}: ${reason}`;
  },
};

export const credentialAttacks = [requiredField];
