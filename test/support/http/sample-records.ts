import { Artifact, ArtifactContent, EventSource, Job, JobOutput, Task, trustedActor } from '@horarium/core';
import { newRow } from '#core/store/table';
import type { HttpService } from './http-service.ts';

/** Unicode, quotes and markup, which every format must get past. */
const awkward = 'Žluťoučký "kůň" <b>& 日本語</b>';
const now = Date.UTC(2026, 10, 21, 5);

/** One record of every kind, each with id 1 where nothing was there before, and with what formats stumble over. */
export async function addSampleRecords(service: HttpService): Promise<void> {
  const save = async (path: string, body: object) => {
    const { status, json, text } = await service.ask(path, { method: 'POST', body });
    if (status !== 201) throw new Error(`${path} answered ${text}`);
    return json.id as number;
  };
  const topic = await save('/topic/', { name: awkward, color: '#1f77b4', description: 'one\ntwo\r\n\tthree' });
  const app = await save('/app/', {
    name: '=1+1',
    code: 'sample',
    executable: '/bin/true',
    arguments: ['--name', awkward, ''],
    homepage: 'https://example.com/?a=1&b=2',
    image: 'data:image/png;base64,AAAA',
    topics: [topic],
    environment: { SAMPLE_KEY: { type: 'text', description: awkward } },
    extra: { 'two words': [1, null, { '<a>': [] }], '': {}, '1': 'a\u0000\u001b[31m' },
  });
  const settings = { deep: [{ a: [[]] }], 'no name': true, text: '2026-11-21', no: 'no' };
  const company = await save('/company/', { code: 'acme', name: awkward, email: 'office@acme.example', settings });
  const type = await save('/credential_type/', {
    code: 'web',
    name: 'Web',
    fields: [{ keyword: 'KEY', type: 'secret' }],
  });
  const values = { KEY: 'a secret value' };
  await save('/credential/', { name: awkward, company_id: company, credential_type_id: type, values });
  const template = { name: '-2+3', app_id: app, company_id: company, interval: 'daily', topics: [topic] };
  const runtemplate_id = await save('/runtemplate/', template);
  const runtemplate_source_id = await save('/runtemplate/', { ...template, code: 'source' });
  await save('/eventrule/', { runtemplate_id, runtemplate_source_id, env_mapping: { SAMPLE_KEY: '$.a' } });
  await save('/user/', {
    login: 'jana',
    email: 'jana@acme.example',
    first_name: awkward,
    password: 'long enough for all',
  });
  await save(`/company/${company}/user/`, { user_id: 1, role: 'operator' });
  await addHistory(service, { runtemplate_id, company_id: company, app_id: app });
}

/** What the service itself writes: a failed Task with two attempts, output and a file, and an event source. */
export async function addHistory(
  { core }: HttpService,
  ids: { runtemplate_id: number; company_id: number; app_id: number },
): Promise<void> {
  await core.store.transaction(trustedActor('test'), async (tables) => {
    const window = { window_start: now, window_end: now + 3_600_000, deadline: now + 3_600_000 };
    const { runtemplate_id, company_id } = ids;
    const task = newRow(Task, { runtemplate_id, company_id, ...window, state: 'failed', reason: awkward, attempts: 2 });
    const [task_id] = await tables.of(Task).insert([task]);
    const job = {
      ...ids,
      task_id: task_id as number,
      scheduled_at: now,
      arguments: ['a', ''],
      environment: { A: '@x' },
    };
    const jobs = [
      newRow(Job, { ...job, state: 'timed_out', finished_at: now + 1000, signal: 'SIGTERM' }),
      newRow(Job, { ...job, attempt: 2, state: 'failed', exit_code: 3, reason: '+exit code 3', trigger: 'retry' }),
    ];
    const [first] = await tables.of(Job).insert(jobs);
    const data = new TextEncoder().encode('\u001b[32mok\u001b[0m\r\n<script>alert(1)</script>\n');
    const job_id = first as number;
    await tables.of(JobOutput).insert([newRow(JobOutput, { job_id, seq: 0, stream: 'stdout', at: now, data })]);
    const files = ['report.pdf', '=cmd.csv'].map((filename) => ({
      filename,
      content_type: 'text/csv',
      size: 3,
      sha256: 'a',
    }));
    const rows = files.map((file) => newRow(Artifact, { job_id, company_id, ...file }));
    const artifacts = await tables.of(Artifact).insert(rows);
    const contents = artifacts.map((artifact_id) => newRow(ArtifactContent, { artifact_id, content: data }));
    await tables.of(ArtifactContent).insert(contents);
    await tables.of(EventSource).insert([newRow(EventSource, { name: awkward, kind: 'changes-table' })]);
  });
}
