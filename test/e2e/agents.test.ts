import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { eventually } from '../support/mocha/eventually.ts';
import { FleetWorld } from '../support/nats/fleet-world.ts';
import { natsServer } from '../support/nats/test-nats.ts';
import { runDoctor } from '../support/program/doctor.ts';

/** Waits until a file is there. */
const untilFile = (file: string) => `echo begun; while [ ! -e ${file} ]; do sleep 0.1; done; echo done`;

const services = { 'one service on SQLite': ['sqlite', 1], 'two services on PostgreSQL': ['postgresql', 2] } as const;

for (const [title, [kind, hosts]] of Object.entries(services))
  describe(`Agents over NATS of ${title}`, () => {
    let world: FleetWorld;
    before(async function () {
      if (natsServer === undefined) return this.skip();
      world = await FleetWorld.create(kind);
    });
    after(() => world?.[Symbol.asyncDispose]());

    it('run jobs with their secrets, and report output, files and the end', async () => {
      for (let host = 0; host < hosts; host += 1) await world.startService();
      await world.addAgent('gpu1', '--label', 'site=brno');
      const app = await world.service.run(
        ...([
          'app:save',
          '--name',
          'secretive',
          '--executable',
          '/bin/sh',
          '--arguments',
          '-c',
          '--arguments',
        ] as const),
        'echo "the password is $PASSWORD"; echo left > report.txt',
        '--environment',
        JSON.stringify({ PASSWORD: { type: 'password' } }),
        '--artifacts',
        JSON.stringify([{ name: 'report', path: 'report\\.txt' }]),
      );
      const options = JSON.stringify({ pool: 'gpu', labels: { site: 'brno' } });
      const template = await world.service.run(
        ...(['runtemplate:save', '--name', 'secretive', '--company-id', '1', '--app-id', String(app.id)] as const),
        ...(['--interval', 'none', '--executor', 'agent', '--executor-options', options] as const),
        ...(['--environment', JSON.stringify({ PASSWORD: 'hunter2-hunter2' })] as const),
      );
      const job = await world.jobIn(await world.run(template.id), 'succeeded');
      expect(job).to.include({ worker: 'agent:gpu1', exit_code: 0, stdout: 'the password is ••••••••\n' });
      expect(job.artifacts).to.have.length(1);
      expect(job.artifacts[0]).to.include({ filename: 'report.txt', size: 5 });
    });

    it('go on while a service is killed and comes back, and lose nothing of what was reported meanwhile', async () => {
      const job = await world.run(await world.addTemplate('long', untilFile(world.gate('long'))));
      await world.outputOf(job, 'begun');
      await world.killService();
      world.release('long');
      await world.startService();
      expect(await world.jobIn(job, 'succeeded')).to.include({ stdout: 'begun\ndone\n', worker: 'agent:gpu1' });
    });

    it('show the progress of a job, and stop it where it is cancelled', async () => {
      const script = `echo "40 on it" > "$HORARIUM_PROGRESS_FILE"; ${untilFile('/nowhere')}`;
      const job = await world.run(await world.addTemplate('endless', script));
      await eventually('its progress is shown', async () => (await world.job(job)).progress !== null);
      expect(await world.job(job)).to.include({ progress: 40, message: 'on it', state: 'running' });
      await world.service.cli.run(['job:cancel', String(job), '--reason', 'enough']);
      expect(await world.jobIn(job, 'cancelled')).to.include({ reason: 'enough' });
    });

    it('are revoked at once, and their jobs are lost', async () => {
      const { program } = await world.addAgent('gpu3', '--label', 'site=opava');
      const options = JSON.stringify({ pool: 'gpu', labels: { site: 'opava' } });
      const template = await world.addTemplate('doomed', untilFile('/nowhere'), { executor_options: options });
      const job = await world.run(template);
      await world.outputOf(job, 'begun');
      await world.service.cli.run(['agent:revoke', 'gpu3']);
      expect(await world.jobIn(job, 'lost')).to.include({ reason: 'the agent gpu3 was revoked' });
      expect(await program.ended).to.equal(1);
      expect(program.messages).to.include('The agent gpu3 was revoked.');
      await eventually('no process of the job is left', () => world.service.countJobProcesses(template) === 0);
    });

    it('end once their credential is renewed, and join with the new one', async () => {
      const { program } = await world.addAgent('gpu5', '--label', 'site=plzen');
      const options = JSON.stringify({ pool: 'gpu', labels: { site: 'plzen' } });
      const template = await world.addTemplate('renewed', untilFile('/nowhere'), { executor_options: options });
      const job = await world.run(template);
      await world.outputOf(job, 'begun');
      const renewed = join(world.nats.folder, 'gpu5.renewed');
      writeFileSync(renewed, await world.credentialOf('gpu5', '--renew'), { mode: 0o600 });
      expect(await program.ended).to.equal(1);
      expect(program.messages).to.include('The credential of the agent gpu5 was renewed: start it with the new one.');
      await eventually('no process of the job is left', () => world.service.countJobProcesses(template) === 0);
      const lost = await world.jobIn(job, 'lost');
      expect(lost.reason).to.equal('no heartbeat of its agent gpu5 reached the service before its lease ran out');
      await world.applyPermissions();
      await world.startAgent('gpu5', renewed, '--label', 'site=plzen');
      const next = await world.run(await world.addTemplate('again', 'true', { executor_options: options }));
      expect(await world.jobIn(next, 'succeeded')).to.include({ worker: 'agent:gpu5' });
    });

    it('run jobs by the process that began last where two have one credential, and the other one kills its own', async () => {
      const credential = await world.enroll('gpu6');
      const first = await world.startAgent('gpu6', credential, '--label', 'site=tabor');
      const options = JSON.stringify({ pool: 'gpu', labels: { site: 'tabor' } });
      const template = await world.addTemplate('shared', untilFile(world.gate('shared')), {
        executor_options: options,
      });
      const job = await world.run(template);
      await world.outputOf(job, 'begun');
      const second = await world.startAgent('gpu6', credential, '--label', 'site=tabor');
      await first.program.waitForError(/another process with the credential of this agent has taken over/);
      await eventually('no process of the job is left', () => world.service.countJobProcesses(template) === 0);
      const reason = 'another process with the credential of its agent has taken over';
      expect((await world.jobIn(job, 'lost')).reason).to.include(reason);
      const next = await world.run(template);
      await world.outputOf(next, 'begun');
      const found = async () => (await runDoctor(world.service.cli)).of('agents').map((row) => row.found);
      const said = /^two processes used the credential of the agent gpu6 at .*; the one that began last goes on$/;
      await eventually('doctor tells it', async () => (await found()).some((sentence) => said.test(sentence)));
      first.program.process.kill('SIGTERM');
      expect(await first.program.ended).to.equal(0);
      expect((await world.job(next)).state).to.equal('running');
      world.release('shared');
      await world.jobIn(next, 'succeeded');
      second.program.process.kill('SIGKILL');
      await world.startAgent('gpu6', credential, '--label', 'site=tabor');
      await world.jobIn(await world.run(template), 'succeeded');
    });

    if (hosts > 1) return;

    it('go on while NATS is killed and comes back', async () => {
      const job = await world.run(await world.addTemplate('patient', untilFile(world.gate('patient'))));
      await world.outputOf(job, 'begun');
      await world.nats.kill();
      world.release('patient');
      await world.nats.run();
      expect(await world.jobIn(job, 'succeeded')).to.include({ stdout: 'begun\ndone\n' });
    });

    it('take over the job of one that died, which is lost', async () => {
      const dying = await world.addAgent('gpu2', '--label', 'site=cheb');
      const template = await world.service.addDailyTemplate('retried', untilFile(world.gate('retried')), {
        executor: 'agent',
        executor_options: JSON.stringify({ pool: 'gpu', labels: { site: 'cheb' } }),
        max_attempts: 2,
      });
      await eventually('its job runs', async () => (await world.service.jobs(template))[0]?.state === 'running');
      const [first] = await world.service.jobs(template);
      await world.outputOf(first.id, 'begun');
      dying.program.process.kill('SIGKILL');
      const reason = 'no heartbeat of its agent gpu2 reached the service before its lease ran out';
      expect(await world.jobIn(first.id, 'lost')).to.include({ reason, worker: 'agent:gpu2' });
      await eventually('no process of the job is left', () => world.service.countJobProcesses(template) === 0);
      await world.addAgent('gpu4', '--label', 'site=cheb');
      world.release('retried');
      await eventually(
        'the Task is fulfilled',
        async () => (await world.service.tasks(template))[0].state === 'fulfilled',
      );
      const [, retry] = await world.service.jobs(template);
      expect(retry).to.include({ worker: 'agent:gpu4', attempt: 2, trigger: 'retry' });
    });
  });
