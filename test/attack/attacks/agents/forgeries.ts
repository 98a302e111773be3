import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { decodeCredential } from '../../../../plugins/fleet-nats/wire/keys/credential.ts';
import { openMessage, sealMessage, signMessage } from '../../../../plugins/fleet-nats/wire/keys/envelope.ts';
import {
  answerCodec,
  hostsAliveCodec,
  orderCodec,
} from '../../../../plugins/fleet-nats/wire/messages/message-shapes.ts';
import type { AgentOrder } from '../../../../plugins/fleet-nats/wire/messages/messages.ts';
import { protocol } from '../../../../plugins/fleet-nats/wire/messages/protocol.ts';
import { eventually } from '../../../support/mocha/eventually.ts';
import { claimOf, startWaitingJob } from '../../fleet/agent-jobs.ts';
import { fleetAttack } from '../../fleet/fleet-target.ts';
import { ended, printed } from '../../fleet/taken-agent.ts';

const otherSecrets = fleetAttack(
  'An agent that is taken over learns nothing of what other agents are told and report',
  async (fleet) => {
    const tenant = await fleet.target.addTenant();
    await using taken = await fleet.takeAgent();
    const { subjects, credential, received } = taken;
    await using victim = await fleet.startAgent();
    await taken.listen('>', `${subjects.prefix}.>`, `${subjects.inbox(victim.name)}.>`, `_INBOX_${subjects.prefix}.>`);
    await taken.listen(`${subjects.inbox(taken.name)}.>`);
    const [secret, said] = [randomUUID(), randomUUID()];
    const fields = { environment: { SECRET: secret } };
    const job = await fleet.addJob(tenant, victim.name, `echo ${said} "$SECRET"`, fields);
    const { stdout } = await tenant.operator.endOfJob(job);
    if (!stdout.includes(said)) return `the job printed ${stdout}`;
    for (const stream of [subjects.reportsStream, subjects.aliveStream])
      for (let seq = 1; seq <= 100; seq += 1)
        taken.publish(`$JS.API.STREAM.MSG.GET.${stream}`, JSON.stringify({ seq }), { reply: taken.newInbox() });
    taken.publish(`$JS.API.DIRECT.GET.${subjects.aliveStream}.${subjects.alive(victim.name)}`, '', {
      reply: taken.newInbox(),
    });
    await taken.settle();
    const isForOthers = ({ subject }: { readonly subject: string }) => !subjects.isInboxOf(taken.name, subject);
    if (fleet.guard === 'without permissions' && !received.some(isForOthers)) return 'the attack has received nothing';
    for (const { subject, data } of received) {
      const text = Buffer.from(data).toString('latin1');
      const shown = [text, Buffer.from(text, 'base64').toString('latin1')].join();
      if (shown.includes(secret) || shown.includes(said)) return `it read a message on ${subject}`;
      for (const from of [credential.hosts, decodeCredential(victim.credential).keys.publicKeys])
        if (isForOthers({ subject }) && opens(() => openMessage(subject, data, from, credential.keys)))
          return `it opened a message on ${subject}`;
    }
    return null;
  },
);

function opens(open: () => unknown): boolean {
  try {
    open();
    return true;
  } catch {
    return false;
  }
}

const otherReports = fleetAttack(
  'An agent that is taken over reports on no attempt but those that it runs',
  async (fleet) => {
    const tenant = await fleet.target.addTenant();
    await using taken = await fleet.takeAgent();
    const { subjects } = taken;
    await using victim = await fleet.startAgent();
    const running = await startWaitingJob(fleet, tenant, victim);
    const claim = await claimOf(fleet, running.job);
    const mine = await fleet.addJob(tenant, taken.name, 'true');
    const attempt = await taken.claim();
    const lies = [printed('a lie'), ended({ exitCode: 0 })];
    for (const [index, event] of lies.entries())
      for (let seq = 1; seq <= 10; seq += 1) {
        const report = { job: running.job, claim, seq: seq + index, age: 0, event };
        taken.sendReport(report);
        taken.sendReport(report, subjects.report(victim.name));
        taken.sendReport({ ...report, claim: attempt.claim });
        taken.sendReport({ ...report, job: attempt.job });
        // JetStream drops a report as a double whose id it knows.
        taken.publish(subjects.report(taken.name), 'junk', { id: `${claim}/${running.job}/${seq}` });
      }
    await taken.beat({ running: [] }, subjects.alive(victim.name));
    await taken.beat({ running: [{ job: running.job, claim }] });
    taken.send({ kind: 'claim', free: 0, abandoned: [claim] });
    taken.send({ kind: 'claim', free: 0, abandoned: [claim] }, { subject: subjects.ask(victim.name) });
    taken.report(attempt, ended({ exitCode: 0 }));
    taken.report(attempt, printed('after the end'));
    taken.report(attempt, ended({ exitCode: 9 }));
    const own = await tenant.operator.endOfJob(mine);
    await taken.settle();
    const last = await fleet.addJob(tenant, taken.name, 'true');
    taken.report(await taken.claim(), ended());
    await tenant.operator.endOfJob(last);
    const { state, exit_code, stdout } = await running.end();
    if (state !== 'failed' || exit_code !== 7 || stdout !== 'begun\ndone\n')
      return `the other attempt ended ${state} with ${exit_code} and ${JSON.stringify(stdout)}`;
    const { json } = await tenant.operator.get(`/job/${mine}.json`);
    return json.exit_code === 0 && json.stdout === own.stdout ? null : `its ended attempt became ${json.exit_code}`;
  },
);

const orders = fleetAttack(
  'An agent that is taken over neither answers nor orders another one as a host does',
  async (fleet) => {
    const tenant = await fleet.target.addTenant();
    await using taken = await fleet.takeAgent();
    const { subjects, credential } = taken;
    await using victim = await fleet.startAgent();
    const { publicKeys } = decodeCredential(victim.credential).keys;
    const running = await startWaitingJob(fleet, tenant, victim);
    const claim = await claimOf(fleet, running.job);
    const mark = join(victim.process.folder, 'mark');
    taken.connection.subscribe(subjects.ask(victim.name), {
      queue: 'hosts',
      callback: (_, message) => {
        if (!message?.reply) return;
        const id = randomUUID();
        const program = { executable: 'touch', arguments: [mark], stdin: null, environment: {}, timeout: null };
        const others = { options: {}, runAs: null, files: [], image: null, resultFile: null, artifacts: [] };
        const attempts = [{ job: 1, claim: id, executor: 'native', attempt: { ...program, ...others } }];
        const answer = answerCodec.encode({
          kind: 'attempts',
          id,
          attempts,
          more: false,
          lease: 2000,
          offlineGrace: 10_000,
          expiresIn: null,
        });
        taken.publish(message.reply, sealMessage(message.reply, answer, credential.keys, publicKeys));
      },
    });
    const tell = subjects.tell(victim.name);
    const forged: readonly AgentOrder[] = [
      { kind: 'stop', job: running.job, claim, reason: 'a lie' },
      { kind: 'drain' },
      { kind: 'revoked', reason: 'a lie' },
    ];
    for (const order of forged) {
      taken.publish(tell, sealMessage(tell, orderCodec.encode(order), credential.keys, publicKeys));
      taken.publish(tell, sealMessage(tell, orderCodec.encode(order), credential.keys, credential.hosts));
    }
    const alive = hostsAliveCodec.encode({ version: '9.9.9', protocol, host: 'a lie' });
    taken.publish(subjects.hosts, signMessage(subjects.hosts, alive, credential.keys));
    // What a host tells this agent is no order for another one.
    await taken.listen(subjects.tell(taken.name));
    await fleet.command('agent:drain', taken.name);
    const own = await eventually('a host tells it to drain', async () => {
      await taken.beat();
      return taken.received.find(({ subject }) => subject === subjects.tell(taken.name));
    });
    taken.publish(tell, own.data);
    await taken.settle();
    const { exit_code, stdout } = await running.end();
    if (exit_code !== 7 || stdout !== 'begun\ndone\n') return `the attempt of another agent ended with ${exit_code}`;
    await taken.connection.drain();
    const next = await fleet.addJob(tenant, victim.name, `test -e ${mark}`);
    const { state } = await tenant.operator.endOfJob(next);
    if (state !== 'failed') return 'another agent ran an attempt that no host has assigned';
    return victim.process.program.process.exitCode === null ? null : 'another agent has ended';
  },
);

export const agentForgeryAttacks = [otherSecrets, otherReports, orders] as const;
