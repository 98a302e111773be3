import { join } from 'node:path';
import { Event } from '@horarium/core';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { newRow } from '#core/store/table';
import { ConsoleWorld, describeInBrowser, signIn } from '../support/browser/console-world.ts';
import { addPlantedRecords, type PlantedRecords } from '../support/browser/planted-records.ts';
import { addPastRuns } from '../support/browser/run-history.ts';
import { viewPatterns, walkScreens } from '../support/browser/screen-walk.ts';

const holidays = join(import.meta.dirname, '../examples/plugins/holidays.js');
/** Stands in all texts of the other company, and nowhere else. */
const marker = 'qX7otherCompany';
/** All records of the other company have an id from there on, and no other record has. */
const foreignIds = 7_700_000;
const foreign = new RegExp(`${marker}|(?<![\\w.])77\\d{5}(?![\\w.])`);

describeInBrowser('A company of others in the console:', () => {
  let world: ConsoleWorld;
  let own: PlantedRecords;
  before(async () => {
    world = await ConsoleWorld.create({
      HORARIUM_PLUGINS: `built-in,${holidays}`,
      HORARIUM_OUTBOUND_NETWORKS: '127.0.0.1/32',
    });
    own = await addPlantedRecords(world, { texts: ['Own'] });
    const hour = 3_600_000;
    const start = Math.floor(Date.now() / hour) * hour;
    const runs = [
      { start: start - 5 * hour, state: 'fulfilled', attempts: [['succeeded', null]] },
      { start: start - 3 * hour, state: 'failed', reason: 'exit code 3', attempts: [['failed', 'exit code 3']] },
    ] as const;
    await addPastRuns(world.service, 1, runs);
    await world.addUser('mia', null, { 1: 'manager' });
    await world.addUser('vera', null, { 1: 'viewer' });

    await countFrom(foreignIds);
    const { id: company } = await world.post('/company', { code: marker, name: marker });
    await world.post('/eventsource', { id: own.ids['EventSource'], companies: [1, company] });
    const shared = Object.entries(own.ids).filter(([name]) => !own.owned.includes(name) && name !== 'Company');
    const other = await addPlantedRecords(world, { texts: [marker], company, known: Object.fromEntries(shared) });
    await world.addUser(marker, null, { [company]: 'manager' });
    const { RunTemplate: runtemplate_id = 0 } = other.ids;
    await addPastRuns(world.service, runtemplate_id, runs, company);
    const store = await world.service.openStore();
    await store.transaction(async (tables) => {
      const event = { kind: 'job', event: 'failed', company_id: company, runtemplate_id, key: marker } as const;
      const at = { created_at: start, updated_at: start };
      await tables.of(Event).insert([newRow(Event, { ...event, ...at, state: 'set_aside', reason: marker })]);
    });
    await world.post('/pause', { runtemplate_id, reason: marker });
    await countFrom(2 * foreignIds);
  });
  after(() => world[Symbol.asyncDispose]());

  /** Has the ids of all records of companies go on from there. */
  async function countFrom(id: number): Promise<void> {
    const shared = ['app', 'credential_type', 'topic', 'event_source', 'user', 'token', 'worker'];
    const names = shared.map((name) => `'horarium_${name}'`).join();
    await world.service.execute(`update sqlite_sequence set seq = ${id} where name not in (${names})`);
  }

  it('Whoever may see it finds it on the screens that are looked at', async () => {
    const { page, found } = await listened('admin');
    await walkScreens(page, async () => undefined);
    const paths = [...found].map((each) => each.replaceAll(/\d+/g, ':id').replace(/\?.*/, ''));
    for (const path of [
      '/runtemplates.json',
      '/tasks.json',
      '/tasks/timeline.json',
      '/summary.json',
      '/deliveries.json',
    ])
      expect(paths, path).to.include(`/console/api${path}`);
    await page.context().close();
  });

  for (const login of ['mia', 'vera'])
    it(`No screen and no answer tells ${login} a name, an id or a count of it`, async () => {
      const { page, found } = await listened(login);
      const shown: string[] = [];
      const views = await walkScreens(page, async (view) => {
        if (foreign.test(await page.content())) shown.push(view);
      });
      await page.keyboard.press('/');
      await page.getByLabel('Search everything').fill(marker);
      await page.getByText('Nothing was found.').waitFor();
      expect([...found]).to.deep.equal([]);
      expect(shown).to.deep.equal([]);
      // What the service was started with is for admins alone, and so are the ways to add Apps.
      const others = login === 'mia' ? /service|begin/ : /service|new|edit|begin/;
      const needed = viewPatterns().filter((pattern) => !others.test(pattern.source));
      for (const pattern of needed) {
        const isVisited = views.some((each) => pattern.test(each));
        expect(isVisited, String(pattern)).to.equal(true);
      }
      await page.context().close();
    });

  it('The counts of lists and of Manage are those of the own company', async () => {
    const page = await world.signedIn({ login: 'mia' });
    const read = async (path: string) => {
      const response = await page.request.get(`${world.url}/console/api${path}`);
      return { json: await response.json(), total: response.headers()['x-total-count'] };
    };
    const { counts } = (await read('/status.json')).json;
    const { resources } = (await read('/console/model')).json;
    expect(counts).to.include({ runtemplates: 1, calendars: 1, holidays: 1 });
    for (const { plural, operations, nested, rights } of resources) {
      if (!operations.includes('list') || nested || !rights.read) continue;
      const { json, total } = await read(`/${plural}.json?limit=1000`);
      expect(total, plural).to.equal(String(json.length));
      if (counts[plural] !== undefined) expect(counts[plural], plural).to.equal(json.length);
    }
    await page.context().close();
  });

  /** Opens a page whose user signs in, and finds the answers that tell of the other company. */
  async function listened(login: string): Promise<{ page: Page; found: Set<string> }> {
    const page = await world.open();
    const found = new Set<string>();
    page.on('response', (response) => {
      const { pathname, search } = new URL(response.url());
      if (response.request().resourceType() === 'eventsource' || !pathname.startsWith('/console/api')) return;
      const isForeign = async () =>
        foreign.test(`${JSON.stringify(await response.allHeaders())}${await response.text()}`);
      // A page that is left has no bodies of the answers that it has not read.
      isForeign().then(
        (is) => is && found.add(pathname + search),
        () => undefined,
      );
    });
    await signIn(page, login);
    await page.locator('h1').waitFor();
    return { page, found };
  }
});
