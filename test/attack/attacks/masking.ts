import type { Attack } from '../attack.ts';
import { findLongBlock, readMetrics } from '../service-metrics.ts';

const half = 'a'.repeat(16_383);

const costlyMasking: Attack = {
  claim: 'Masking the output of one company does not hold up others',
  attempt: async (target) => {
    const tenant = await target.addTenant();
    const app = await target.addShellApp('head -c 1000000 /dev/zero | tr "\\0" a', {
      environment: { LONG: { type: 'secret' } },
    });
    const template = await target.addTemplate(tenant, app, { environment: { LONG: `${half}b${half}` } });
    return (await findLongBlock(target, () => target.run(tenant, template))).block;
  },
};

const manySecrets: Attack = {
  claim: 'Masking takes time for the length of the output, not for the number or the length of the secrets',
  attempt: async (target) => {
    const tenant = await target.addTenant();
    const names = Array.from({ length: 200 }, (_, index) => `SECRET_${index}`);
    const declared = Object.fromEntries(names.map((name) => [name, { type: 'secret' }]));
    // Each begins as the output does, and ends otherwise, so that a search for each of them by itself compares all of it.
    const values = names.map((name, index) => [name, `${'a'.repeat(200 + index)}b`]);
    const seconds: number[] = [];
    for (const environment of [{}, Object.fromEntries(values)]) {
      const app = await target.addShellApp('head -c 4000000 /dev/zero | tr "\\0" a', { environment: declared });
      const template = await target.addTemplate(tenant, app, { environment });
      const before = await readMetrics(target);
      await target.run(tenant, template);
      seconds.push((await readMetrics(target)).processor - before.processor);
    }
    const [none, many] = seconds as [number, number];
    return many < 5 + 5 * none
      ? null
      : `without secrets the service worked for ${none} s, with 200 of them for ${many} s`;
  },
};

const boundlessSecrets: Attack = {
  claim: 'No record and no attempt has more than 64 KiB of secrets',
  attempt: async (target) => {
    const tenant = await target.addTenant();
    const { id: company_id, manager } = tenant;
    const names = ['ONE', 'TWO', 'THREE'];
    const environment = Object.fromEntries(names.map((name) => [name, { type: 'secret' }]));
    const app = await target.addShellApp('echo "$ONE"', { environment });
    const values = Object.fromEntries(names.map((name) => [name, `${name} ${half}${half.slice(10)}`]));
    const template = { name: 'Attack', company_id, app_id: app, interval: 'none', environment: values };
    const { status } = await manager.post('/runtemplate/', template);
    if (status !== 422) return `a template with 96 KiB of secrets was saved: ${status}`;
    const { THREE: ofCompany = '', ...ofTemplate } = values;
    await target.admin.save('company', { id: company_id, environment: { THREE: ofCompany } });
    const job = await target.run(tenant, await target.addTemplate(tenant, app, { environment: ofTemplate }));
    return job.state === 'failed' && job.stdout === '' ? null : `its job ended ${job.state}, and wrote ${job.stdout}`;
  },
};

/** Writes the value of SECRET in other forms, the last of them base64 of the value after one and two other bytes. */
const leakEncoded = `
  printf %s "$SECRET" | od -An -v -tx1 | tr -d ' \\n'; echo
  printf %s "$SECRET" | base64 -w0; echo
  printf '1%s' "$SECRET" | base64 -w0; echo
  printf '12%s' "$SECRET" | base64 -w0; echo`;

const encodedSecrets: Attack = {
  claim: 'Output shows no secret in hexadecimal or base64',
  attempt: async (target) => {
    const tenant = await target.addTenant();
    const app = await target.addShellApp(leakEncoded, { environment: { SECRET: { type: 'secret' } } });
    const secret = 'correct horse battery staple';
    const template = await target.addTemplate(tenant, app, { environment: { SECRET: secret } });
    const { stdout } = await target.run(tenant, template);
    const lines = stdout.trim().split('\n');
    const decoded = [
      Buffer.from(lines[0] ?? '', 'hex'),
      ...lines.slice(1).map((line: string) => Buffer.from(line, 'base64')),
    ];
    return decoded.some((bytes) => bytes.includes('horse battery')) ? `the output was ${stdout}` : null;
  },
};

const revealingReports: Attack = {
  claim: 'The reports of an external job do not reveal values that its claim did not hand out',
  attempt: async (target) => {
    const tenant = await target.addTenant();
    const { id: company_id, manager, operator } = tenant;
    const app = await target.addShellApp('true', {
      environment: { PIN: { type: 'secret' }, CODE: { type: 'secret' } },
    });
    const environment = { PIN: '4711', CODE: '471100' };
    const template = { name: 'Attack', company_id, app_id: app, interval: 'none', executor: 'external', environment };
    const { id: runtemplate_id } = await manager.save('runtemplate', template);
    const { id } = await operator.save('job', { runtemplate_id });
    const claimed = await operator.save('job', { id, state: 'running' });
    const handedOut = JSON.stringify(claimed);
    const guesses = Array.from({ length: 10_000 }, (_, guess) => `${guess}`.padStart(4, '0'));
    const stdout = guesses.map((guess) => `${guess} ${guess}00`).join('\n');
    await operator.save('job', { id, exit_code: 0, stdout });
    const { text } = await operator.get(`/job/${id}/output.json?stream=stdout`);
    const isRevealed = (value: string) => !handedOut.includes(value) && !text.includes(value);
    const revealed = Object.entries(environment).filter(([, value]) => isRevealed(value));
    return revealed.length === 0 ? null : `masked, and so revealed: ${revealed.map(([name]) => name).join(', ')}`;
  },
};

export const maskingAttacks = [costlyMasking, manySecrets, boundlessSecrets, encodedSecrets, revealingReports];
