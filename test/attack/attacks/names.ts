import type { Attack } from '../attack.ts';

const membersById: Attack = {
  claim: "Nobody learns a stranger's login or e-mail address by adding them to a company",
  attempt: async (target) => {
    const { id, code } = await target.addTenant();
    const stranger = await target.addUser();
    const companyAdmin = await target.addUser();
    await target.admin.save(`company/${id}/user`, { user_id: companyAdmin.id, role: 'admin' });
    const { status, text } = await companyAdmin.client.post(`/company/${id}/user/`, { user_id: stranger.id });
    const { text: members } = await companyAdmin.client.get(`/company/${id}/users.json`);
    return `${text}${members}`.includes(stranger.login) ? `a member of ${code} was added by id: ${status}` : null;
  },
};

const takenNames: Attack = {
  claim: 'Who may not create a record does not learn which logins and codes exist',
  attempt: async (target) => {
    const tenant = await target.addTenant();
    const taken = await target.addUser();
    const refused = { login: 'nobody-has-this-login', password: 'correct horse battery' };
    const probes = [
      ['/user/', { ...refused, login: taken.login }, refused],
      [
        '/company/',
        { code: (await target.addTenant()).code, name: 'Taken' },
        { code: 'nobody-has-this', name: 'Free' },
      ],
    ] as const;
    for (const [path, existing, free] of probes) {
      const [one, other] = [await tenant.manager.post(path, existing), await tenant.manager.post(path, free)];
      const told = ({ status, json }: typeof one) => `${status} ${json?.detail?.replace(/"[^"]*"/g, '')}`;
      if (told(one) !== told(other)) return `POST ${path}: ${told(one)} for a name that exists, else ${told(other)}`;
    }
    return null;
  },
};

const hostsInStatus: Attack = {
  claim: 'Only administrators see the hosts and process ids of workers',
  attempt: async (target) => {
    const { manager } = await target.addTenant();
    const [{ json: seen }, { json: all }] = [await manager.get('/status.json'), await target.admin.get('/status.json')];
    if (seen.workers?.length > 0) return `a manager sees ${JSON.stringify(seen.workers)}`;
    return Array.isArray(all.workers) ? null : 'an administrator sees no workers';
  },
};

export const nameAttacks = [membersById, takenNames, hostsInStatus];
