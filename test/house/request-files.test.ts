import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { CoveredService } from '../support/entered-files/covered-service.ts';
import { checkedFetch } from '../support/http/checked-fetch.ts';
import { eventually } from '../support/mocha/eventually.ts';

/** The largest number of source files that each request may enter. */
const maxFiles = { eventRule: 110, job: 170 };

/**
 * How often each request is made, until no more files are entered each time than may be: what runs in the background does
 * not run each time.
 */
const rounds = { min: 5, max: 50 };

describe('A request enters few files:', () => {
  let service: CoveredService;
  let headers: Readonly<Record<string, string>>;
  /** Two templates; the second one starts a program. */
  const templates: number[] = [];

  before(async function () {
    this.timeout(120_000);
    service = await CoveredService.start();
    const { json } = await service.cli.command('token:generate --user admin --format json');
    headers = { authorization: `Bearer ${json.token}`, 'content-type': 'application/json' };
    const { id: company_id } = await post('company', { code: 'acme', name: 'Acme' });
    const { id: app_id } = await post('app', { name: 'true', executable: '/bin/true' });
    for (const name of ['one', 'two'])
      templates.push((await post('runtemplate', { name, company_id, app_id, interval: 'none', overlap: 'allow' })).id);
  });
  after(() => service[Symbol.asyncDispose]());

  it('POST /eventrule/ up to its response', async () => {
    const [runtemplate_source_id, runtemplate_id] = templates;
    const files = await filesOf(maxFiles.eventRule, async () => {
      await post('eventrule', { runtemplate_source_id, runtemplate_id });
    });
    print('POST /eventrule/', files);
    expect(files).to.include.members(['adapters/http/api.ts', 'core/event/rule/event-rule.ts']);
    expect(files.length).to.be.at.most(maxFiles.eventRule);
  });

  it('POST /job/ until the job has ended', async () => {
    const files = await filesOf(maxFiles.job, async () => {
      const { id } = await post('job', { runtemplate_id: templates[1] });
      await eventually(`job ${id} has ended`, async () => hasEnded(id));
    });
    print('POST /job/', files);
    expect(files).to.include.members(['core/worker/runner.ts', 'plugins/executor-native/native-executor.ts']);
    expect(files.length).to.be.at.most(maxFiles.job);
  });

  async function post(resource: string, body: object): Promise<{ readonly id: number }> {
    const response = await checkedFetch(`${service.url}/${resource}/`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    expect(response.status).to.equal(201);
    return (await response.json()) as { readonly id: number };
  }

  /** Whether a job has ended, by its row, because a request would enter further files. */
  function hasEnded(id: number): boolean {
    const database = new Database(service.cli.environment['HORARIUM_DATABASE_URL']?.replace('sqlite:', ''));
    try {
      const row = database.prepare('select finished_at from horarium_job where id = ?').get(id);
      return (row as { finished_at: unknown }).finished_at !== null;
    } finally {
      database.close();
    }
  }

  /** @returns the files that a request enters each time, after it has loaded what it needs once. */
  async function filesOf(max: number, request: () => Promise<void>): Promise<string[]> {
    await request();
    let files = [...(await service.filesDuring(request))];
    for (let round = 1; round < rounds.min || (round < rounds.max && files.length > max); round++) {
      const entered = await service.filesDuring(request);
      files = files.filter((file) => entered.has(file));
    }
    return files.sort();
  }

  function print(request: string, files: readonly string[]): void {
    const folders = Map.groupBy(files, (file) => dirname(file));
    const counts = [...folders].map(([folder, { length }]) => `${folder} ${length}`);
    console.log(`      ${request} enters ${files.length} files in ${folders.size} folders: ${counts.join(', ')}`);
  }
});
