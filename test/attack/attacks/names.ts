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

const membersByLogin: Attack = {
  claim: 'Members are added by their exact login, or by an id that the caller may see',
  attempt: async (target) => {
    const [{ id }, { id: elsewhere }] = [await target.addTenant(), await target.addTenant()];
    const [companyAdmin, stranger] = [await target.addUser(), await target.addUser()];
    await target.admin.save(`company/${id}/user`, { user_id: companyAdmin.id, role: 'admin' });
    const add = (member: object) => companyAdmin.client.post(`/company/${id}/user/`, member);
    for (const login of [stranger.login.slice(0, -1), `${stranger.login.slice(0, 8)}%`, ` ${stranger.login}`]) {
      const { status } = await add({ login });
      if (status < 400) return `"${login}" added ${stranger.login}: ${status}`;
    }
    const [hidden, missing] = [await add({ user_id: stranger.id }), await add({ user_id: 999_999_999 })];
    const told = ({ status, json }: typeof hidden) => `${status} ${json.detail.replace(/\d+/g, 'N')}`;
    if (told(hidden) !== told(missing)) return `an id that exists is told apart: ${hidden.text}`;
    const { status, text } = await add({ login: stranger.login });
    if (status !== 201) return `the exact login got ${status}: ${text}`;
    const { status: other } = await companyAdmin.client.post(`/company/${elsewhere}/user/`, { login: stranger.login });
    return other === 404 ? null : `a member of another company: ${other}`;
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

export const nameAttacks = [membersById, membersByLogin, takenNames, hostsInStatus];
