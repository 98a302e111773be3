import { randomUUID } from 'node:crypto';
import type { Answer } from '../../../../plugins/fleet-nats/wire/messages/messages.ts';
import { fleetAttack } from '../../fleet/fleet-target.ts';

const jobsOf = (answer: Answer) => (answer.kind === 'attempts' ? answer.attempts.map(({ job }) => job) : []);

const foreignJobs = fleetAttack(
  'An agent that is taken over claims no job of a pool or a company that is not its own',
  async (fleet) => {
    const [own, other] = [await fleet.target.addTenant(), await fleet.target.addTenant()];
    const victim = await fleet.enroll();
    await using taken = await fleet.takeAgent();
    const { name } = taken;
    const unbound = await fleet.addTemplate(other, name, 'true');
    await fleet.command('pool:save', '--name', name, '--companies', String(own.id));
    const { status } = await other.manager.post('/runtemplate/', {
      id: await fleet.addTemplate(other, victim.name, 'true'),
      executor_options: { pool: name },
    });
    if (status !== 422) return `a template of another company got the pool with ${status}`;
    const foreign = [
      await fleet.addJob(own, victim.name, 'true'),
      (await other.operator.save('job', { runtemplate_id: unbound })).id,
    ];
    const mine = await fleet.addJob(own, name, 'true');
    await taken.beat({ labels: { pool: victim.name }, slots: 1024 });
    const inbox = taken.subjects.inbox(victim.name);
    taken.send({}, { subject: taken.subjects.ask(victim.name) });
    taken.send({}, { subject: taken.subjects.ask(victim.name), reply: `${inbox}.x` });
    taken.send({}, { reply: `${inbox}.x` });
    taken.send({}, { reply: taken.subjects.hosts });
    taken.send({}, { subject: `${taken.subjects.ask(name)}.${victim.name}` });
    const attempt = await taken.claim();
    if (attempt.job !== mine) return `it got job ${attempt.job}`;
    const more = jobsOf(await taken.ask({ kind: 'claim', free: 1024, abandoned: [randomUUID()] }));
    if (more.length > 0) return `it got the jobs ${more} as well`;
    for (const id of foreign) {
      const { json } = await fleet.target.admin.get(`/job/${id}.json`);
      if (json.state !== 'scheduled') return `job ${id} is ${json.state}: ${json.reason}`;
    }
    return null;
  },
);

const files = fleetAttack(
  'An agent that is taken over reads no file but those that its running attempts are given',
  async (fleet) => {
    const tenant = await fleet.target.addTenant();
    await using taken = await fleet.takeAgent();
    await fleet.addJob(tenant, taken.name, 'true');
    const { job, claim } = await taken.claim();
    const wanted = ['@file:1/given.txt', '/etc/passwd', '../../etc/passwd', '@file:1/../../etc/passwd', ''];
    for (const mark of wanted)
      for (const [of, by] of [
        [job, claim],
        [job, randomUUID()],
        [1, claim],
      ] as const) {
        if (mark === '') continue;
        const answer = await taken.ask({ kind: 'file', job: of, claim: by, mark, offset: 0 });
        if (answer.kind !== 'refused') return `it got ${mark} of job ${of}`;
        if (!answer.final) return `it may ask again for ${mark}, which it never gets`;
      }
    return null;
  },
);

export const agentClaimAttacks = [foreignJobs, files] as const;
