import { Artifact, Delivery, Event, EventSource, Job, Task, trustedActor } from '@horarium/core';
import { ArtifactContent } from '#core/job/artifact';
import { JobOutput } from '#core/job/job-output';
import { newRow } from '#core/store/table';
import { storedNoticeOf } from '../actions/stored-notice.ts';
import type { HttpService } from './http-service.ts';

/** A text with Unicode, quotes and markup, which every format must escape correctly. */
const specialText = 'Žluťoučký "kůň" <b>& 日本語</b>';
const now = Date.UTC(2026, 10, 21, 5);

/** Adds at least one record of every kind, with values that are hard to format; in an empty store each has the id 1. */
export async function addSampleRecords(service: HttpService): Promise<void> {
  const save = async (path: string, body: object) => {
    const { status, json, text } = await service.requestAsAdmin(path, { method: 'POST', body });
    if (status !== 201) throw new Error(`${path} answered ${text}`);
    return json.id as number;
  };
  const topic = await save('/topic/', { name: specialText, color: '#1f77b4', description: 'one\ntwo\r\n\tthree' });
  const app = await save('/app/', {
    name: '=1+1',
    code: 'sample',
    executable: '/bin/true',
    arguments: ['--name', specialText, ''],
    homepage: 'https://example.com/?a=1&b=2',
    image: 'data:image/png;base64,AAAA',
    topics: [topic],
    environment: { SAMPLE_KEY: { type: 'text', description: specialText } },
    extra: { 'two words': [1, null, { '<a>': [] }], '': {}, '1': 'a\u0000\u001b[31m' },
  });
  const settings = { deep: [{ a: [[]] }], 'no name': true, text: '2026-11-21', no: 'no' };
  const company = await save('/company/', { code: 'acme', name: specialText, email: 'office@acme.example', settings });
  const type = await save('/credential_type/', {
    code: 'web',
    name: 'Web',
    fields: [{ keyword: 'KEY', type: 'secret' }],
  });
  const values = { KEY: 'a secret value' };
  await save('/credential/', { name: specialText, company_id: company, credential_type_id: type, values });
  const dates = [{ date: '2098-12-24', to: '2098-12-31', name: specialText }];
  const calendar_id = await save('/calendar/', { name: specialText, company_id: company, weekdays: ['sunday'], dates });
  const of = { app_id: app, company_id: company, calendar_id };
  const template = { ...of, name: '-2+3', interval: 'daily', topics: [topic] };
  const runtemplate_id = await save('/runtemplate/', template);
  const runtemplate_source_id = await save('/runtemplate/', { ...template, code: 'source' });
  await save('/eventrule/', { runtemplate_id, runtemplate_source_id, env_mapping: { SAMPLE_KEY: 'exit_code' } });
  await save('/maintenancewindow/', { name: specialText, runtemplate_id, calendar_id, active: false });
  await save('/pause/', { runtemplate_id, starts_at: '2098-01-01T00:00:00Z', reason: specialText });
  await save('/user/', {
    login: 'jana',
    email: 'jana@acme.example',
    first_name: specialText,
    password: 'long enough for all',
  });
  await save(`/company/${company}/user/`, { user_id: 1, role: 'operator' });
  await addHistory(service, { runtemplate_id, company_id: company, app_id: app });
}

/** Adds rows directly to the store: a failed Task with two jobs, an event, output, artifacts and a delivery, and an event source. */
export async function addHistory(
  { core }: HttpService,
  ids: { runtemplate_id: number; company_id: number; app_id: number },
): Promise<void> {
  await core.store.transaction(trustedActor('test'), async (tables) => {
    const window = { window_start: now, window_end: now + 3_600_000, deadline: now + 3_600_000 };
    const { runtemplate_id, company_id } = ids;
    const task = newRow(Task, {
      runtemplate_id,
      company_id,
      ...window,
      state: 'failed',
      reason: specialText,
      attempts: 2,
    });
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
    const [job_id] = (await tables.of(Job).insert(jobs)) as [number];
    const ended = { kind: 'job', event: 'failed', job_id, runtemplate_id, company_id } as const;
    const event = {
      ...ended,
      state: 'set_aside',
      reason: specialText,
      attempts: 1,
      payload: { a: [1, specialText] },
    } as const;
    await tables.of(Event).insert([newRow(Event, event)]);
    const data = new TextEncoder().encode('\u001b[32mok\u001b[0m\r\n<script>alert(1)</script>\n');
    await tables.of(JobOutput).insert([newRow(JobOutput, { job_id, seq: 0, stream: 'stdout', at: now, data })]);
    const files = ['report.pdf', '=cmd.csv'].map((filename) => ({
      filename,
      content_type: 'text/csv',
      size: data.length,
      sha256: 'a',
    }));
    const rows = files.map((file) => newRow(Artifact, { job_id, company_id, ...file }));
    const artifacts = await tables.of(Artifact).insert(rows);
    const contents = artifacts.map((artifact_id) => newRow(ArtifactContent, { artifact_id, content: data }));
    await tables.of(ArtifactContent).insert(contents);
    const notice = storedNoticeOf('on_failure', { reason: specialText });
    const told = { action: 'webhook', event: 'on_failure', owner: 'runtemplate', error: specialText } as const;
    const delivery = { ...told, company_id, runtemplate_id, task_id: task_id as number, job_id, created_at: now };
    const message_id = '6f1b2f0e-3a5d-4c5b-9a57-0d7f3a2c4e11';
    await tables.of(Delivery).insert([newRow(Delivery, { ...delivery, message_id, notice })]);
    await tables.of(EventSource).insert([newRow(EventSource, { name: specialText, kind: 'changes-table' })]);
  });
}
