import { rejectionOf } from '../../../support/mocha/rejection-of.ts';
import { fleetAttack } from '../../fleet/fleet-target.ts';
import { ended, printed, TakenAgent } from '../../fleet/taken-agent.ts';
import { worldOf } from '../../own-target.ts';

const deniedNames = [
  '../x',
  '/etc/x',
  'a/../../x',
  'a/./x',
  'a\\..\\x',
  'a//b',
  '..',
  '.',
  'a/',
  'a\nb',
  'x'.repeat(1025),
];

const artifacts = fleetAttack(
  'An agent that is taken over stores no file outside of the names and the limits of artifacts',
  async (fleet) => {
    const tenant = await fleet.target.addTenant();
    await using taken = await fleet.takeAgent();
    await fleet.addJob(tenant, taken.name, 'true');
    const attempt = await taken.claim();
    const store = (filename: string, size: number, ...pieces: readonly number[]) => {
      taken.report(attempt, { kind: 'file', filename, contentType: 'text/html', size, sha256: 'a'.repeat(64) });
      for (const piece of pieces) taken.report(attempt, { kind: 'piece', bytes: Buffer.alloc(piece) });
    };
    for (const name of deniedNames) store(name, 3, 3);
    store('too-large', 1001, 1001);
    store('larger-than-said', 10, 1001);
    store('longer-than-said', 10, 10, 100_000);
    store('shorter-than-said', 900, 10);
    store('good', 900, 900);
    store('good', 9, 9);
    store('beyond-the-total', 900, 900);
    for (const name of ['second', 'third', 'fourth']) store(name, 1, 1);
    taken.report(attempt, ended());
    await tenant.operator.endOfJob(attempt.job);
    const rows = await worldOf(fleet.target).execute(
      `select a.filename, a.size, coalesce(sum(length(c.content)), 0) as stored from horarium_artifact a
       left join horarium_artifact_content c on c.artifact_id = a.id where a.job_id = ${attempt.job}
       group by a.id, a.filename, a.size order by a.id`,
    );
    const found = rows.map(({ filename, size, stored }) => `${filename} ${size} ${stored}`).join(', ');
    const expected = 'good 900 900, second 1 1, third 1 1';
    return found === expected ? null : `it stored ${found}`;
  },
);

const credentials = fleetAttack(
  'A credential of an agent that was revoked or has expired is good for nothing',
  async (fleet) => {
    const tenant = await fleet.target.addTenant();
    const past = '2020-01-01T00:00:00Z';
    for (const end of [
      (name: string) => fleet.command('agent:revoke', name),
      (name: string) => fleet.command('agent:save', '--name', name, '--expires-at', past),
    ]) {
      const { name, credential } = await fleet.enroll();
      await using taken = await TakenAgent.join(credential);
      const running = await fleet.addJob(tenant, name, 'true');
      const attempt = await taken.claim();
      await end(name);
      const lost = await tenant.operator.endOfJob(running);
      if (lost.state !== 'lost') return `its attempt ended ${lost.state}`;
      const waiting = await fleet.addJob(tenant, name, 'true');
      await taken.beat({ running: [{ job: running, claim: attempt.claim }] });
      taken.report(attempt, printed('later'));
      taken.report(attempt, ended());
      for (const ask of [
        { kind: 'claim', free: 8 },
        { kind: 'file', job: running, claim: attempt.claim, mark: '@file:1/x', offset: 0 },
      ] as const) {
        const answer = await taken.ask(ask);
        if (answer.kind !== 'refused' || !answer.final) return `${ask.kind} was answered with ${answer.kind}`;
      }
      const after = (await tenant.operator.get(`/job/${running}.json`)).json;
      if (after.state !== 'lost' || after.stdout !== '') return `its attempt became ${after.state}`;
      const { state } = (await tenant.operator.get(`/job/${waiting}.json`)).json;
      if (state !== 'scheduled') return `the next job of its pool is ${state}`;
      await fleet.writePermissions();
      if (fleet.guard === 'with permissions') {
        const refusal = await rejectionOf(TakenAgent.join(credential));
        if (!/credential is refused/.test(refusal.message)) return `NATS says: ${refusal.message}`;
      }
    }
    return null;
  },
);

/** The calls of JetStream that read, change or take away what the service has there. */
const calls = [
  'STREAM.DELETE.HORARIUM_REPORTS',
  'STREAM.DELETE.HORARIUM_ALIVE',
  'STREAM.PURGE.HORARIUM_REPORTS',
  'STREAM.PURGE.HORARIUM_ALIVE',
  'STREAM.UPDATE.HORARIUM_REPORTS',
  'STREAM.MSG.DELETE.HORARIUM_REPORTS',
  'STREAM.MSG.GET.HORARIUM_REPORTS',
  'STREAM.SNAPSHOT.HORARIUM_REPORTS',
  'CONSUMER.DELETE.HORARIUM_REPORTS.hosts',
  'CONSUMER.MSG.NEXT.HORARIUM_REPORTS.hosts',
  'CONSUMER.DURABLE.CREATE.HORARIUM_REPORTS.mine',
  'CONSUMER.CREATE.HORARIUM_REPORTS',
];

const jetstream = fleetAttack(
  'An agent that is taken over gets nothing from JetStream but the acknowledgement of its own messages',
  async (fleet) => {
    const tenant = await fleet.target.addTenant();
    await using taken = await fleet.takeAgent();
    await using victim = await fleet.startAgent();
    const { subjects, name } = taken;
    const inbox = `${subjects.inbox(name)}.api`;
    await taken.listen(`${inbox}.>`);
    for (const call of calls) {
      taken.publish(`$JS.API.${call}`, '', { reply: `${inbox}.${call}` });
      // JetStream and hosts may publish where the agent may not, and it names where they answer.
      for (const subject of [subjects.report(name), subjects.alive(name), subjects.ask(name)])
        taken.publish(subject, '', { reply: `$JS.API.${call}` });
    }
    for (let number = 1; number < 50; number += 1)
      taken.publish(subjects.alive(name), '', {
        reply: `$JS.ACK.HORARIUM_REPORTS.hosts.1.${number}.${number}.1796000000000000000.0`,
      });
    const { state, stdout } = await tenant.operator.endOfJob(await fleet.addJob(tenant, victim.name, 'echo done'));
    if (stdout !== 'done\n') return `a job of another agent ended ${state} with ${JSON.stringify(stdout)}`;
    await taken.settle();
    const [answer] = taken.received;
    return answer ? `it got an answer on ${answer.subject}` : null;
  },
  ['with permissions'],
);

export const agentBoundAttacks = [artifacts, credentials, jetstream] as const;
