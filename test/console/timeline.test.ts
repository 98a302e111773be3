import { Pause } from '@horarium/core';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { newRow } from '#core/store/table';
import {
  ConsoleWorld,
  describeInBrowser,
  expectAccessible,
  password,
  type Visitor,
  viewports,
} from '../support/browser/console-world.ts';
import { addPastRuns } from '../support/browser/run-history.ts';
import {
  colourOf,
  nextFrame,
  pixelAt,
  pointOf,
  rowOf,
  seenTime,
  seenTimes,
  spanOf,
  touch,
  viewOf,
} from '../support/browser/timeline-picture.ts';
import { eventually } from '../support/mocha/eventually.ts';

const hour = 3_600_000;
/** A name that would be a script, end an attribute and turn the text around, if a page took it for more than a name. */
const hostileName = `<script>document.title='hit'</script> "'&\u202e`;
/** The windows of the templates began at whole hours of that day. */
const start = Date.UTC(2026, 2, 10);
const dayOf = viewOf(start);
/** A day on which a template failed, was on time again, and was paused; and one on which it failed in one minute of all. */
const [mixed, crowded] = [start + 5 * 24 * hour, start + 9 * 24 * hour];

describeInBrowser('The timeline in the browser:', () => {
  let world: ConsoleWorld;
  let backup: number;
  let failed: number;
  let busy: number;
  let photos: number;
  before(async () => {
    world = await ConsoleWorld.create();
    const { service } = world;
    // Windows far ahead, so that none begins during the tests.
    const yearly = { interval: 'custom', cron: '0 0 1 1 *', timezone: 'UTC' };
    backup = await service.addTemplate('Nightly backup', ['-c', 'true'], yearly);
    const went = { state: 'fulfilled', attempts: [['succeeded', null]] } as const;
    const ids = await addPastRuns(service, backup, [
      { start: start + 6 * hour, ...went },
      {
        start: start + 12 * hour,
        state: 'failed',
        reason: 'all 2 attempts are used up',
        attempts: [
          ['failed', 'exit code 75'],
          ['failed', 'exit code 75'],
        ],
      },
      { start: start + 18 * hour, state: 'missed', reason: 'no worker was alive' },
    ]);
    failed = ids[1] as number;
    busy = await service.addTemplate('Orders', ['-c', 'true'], yearly);
    const minutes = Array.from({ length: 1440 }, (_each, minute) => start + minute * 60_000);
    await addPastRuns(
      service,
      busy,
      minutes.map((at) => ({ start: at, end: at + 60_000, ...went })),
    );
    photos = await service.addTemplate('Photos', ['-c', 'true'], yearly);
    await addPastRuns(service, photos, [
      { start: mixed + 6 * hour, state: 'failed', reason: 'exit code 7', attempts: [['failed', 'exit code 7']] },
      { start: mixed + 8 * hour, ...went },
      ...minutes.map((at, minute) => {
        const window = { start: at - start + crowded, end: at - start + crowded + 60_000 };
        return minute === 722 ? { ...window, state: 'failed' as const } : { ...window, ...went };
      }),
    ]);
    const store = await service.openStore();
    await store.transaction(async (tables) => {
      const span = { starts_at: mixed + 7 * hour, until: mixed + 10 * hour, ended_at: mixed + 10 * hour };
      const by = { runtemplate_id: photos, company_id: 1, reason: 'rack moves', paused_by: 'jana' };
      await tables.of(Pause).insert([newRow(Pause, { ...span, ...by, created_at: mixed, updated_at: mixed })]);
    });
    await service.addTemplate(hostileName, ['-c', 'true'], yearly);
    await service.cli.command('user:save --json -', { input: JSON.stringify({ login: 'vera', password }) });
    await service.run('companyuser:save', '--company-id', '1', '--login', 'vera', '--role', 'viewer');
  });
  after(() => world[Symbol.asyncDispose]());

  /** Opens the timeline of a day. */
  async function opened(visitor: Visitor = {}, more = '', day = dayOf): Promise<Page> {
    const page = await world.signedIn({ ...visitor, view: `/timeline?${day}${more}` });
    await rowOf(page, 'Nightly backup').waitFor();
    return page;
  }

  it('A run is shown on a card where the pointer is, with its attempts and why', async () => {
    const page = await opened();
    await page.mouse.move(...(await pointOf(page, 'Nightly backup', start + 12.5 * hour)));
    const card = page.getByRole('region', { name: 'What it is about' });
    // The run and its attempts are read one beside the other.
    await card.getByText('2 attempts: exit code 75 after 5 s, exit code 75 after 5 s').waitFor();
    await card.getByText('Failed Tue 10 Mar 13:01, due by 14:00').waitFor();
    await card.getByText('all 2 attempts are used up').waitFor();
    expect(await card.innerText()).to.match(/^Nightly backup, Tue 10 Mar 13:00 – 14:00\n/);
    await page.mouse.move(5, 5);
    await card.waitFor({ state: 'detached' });
    await page.context().close();
  });

  it('A template that was on time again after a failure counts as on time, and the title says that it failed', async () => {
    const page = await opened({}, '', viewOf(mixed));
    const heading = page.getByRole('heading', { level: 1 });
    await heading.getByText('All on time. One had runs that were not, and was on time after them.').waitFor();
    await page.context().close();
  });

  it('The reason of a run that is that of its attempt is said once', async () => {
    const page = await opened({}, '', viewOf(mixed));
    await page.mouse.move(...(await pointOf(page, 'Photos', mixed + 6.1 * hour)));
    const card = page.getByRole('region', { name: 'What it is about' });
    await card.getByText('1 attempt: exit code 7 after 5 s').waitFor();
    await card.getByText('Failed Sun 15 Mar 07:01').waitFor();
    expect((await card.innerText()).match(/exit code 7/g)).to.have.length(1);
    await page.context().close();
  });

  it('A pause that has passed says when it was, who paused and why, also within the window of a run', async () => {
    const page = await opened({}, '', viewOf(mixed));
    const card = page.getByRole('region', { name: 'What it is about' });
    for (const at of [8.6, 9.6]) {
      await page.mouse.move(...(await pointOf(page, 'Photos', mixed + at * hour)));
      await card.getByText('Paused Sun 15 Mar 08:00 – 11:00, by jana: rack moves').waitFor();
      expect(await card.getByText('on time').count()).to.equal(0);
      await page.mouse.move(5, 5);
      await card.waitFor({ state: 'detached' });
    }
    await page.context().close();
  });

  it('A window to come that a pause holds says that it does not run', async () => {
    const [starts_at, until] = ['2098-12-31T12:00:00Z', '2099-01-02T12:00:00Z'];
    await world.post('/pause', { runtemplate_id: photos, starts_at, until, reason: 'the mirror moves' });
    const newYear = Date.UTC(2099, 0, 1);
    const page = await opened({}, `&row=${photos}&at=${new Date(newYear).toISOString()}`, viewOf(newYear - 12 * hour));
    await page.getByText('Paused: it does not run at 1 Jan 2099 01:00').waitFor();
    await page.getByText('Paused 31 Dec 2098 13:00 – 2 Jan 2099 13:00, by admin: the mirror moves').waitFor();
    await page.context().close();
  });

  it('A run that failed is seen where runs are counted, above those that were on time', async () => {
    const page = await opened({}, '', viewOf(crowded));
    const seen = (middle: number) => pixelAt(page, 'Photos', crowded + 12 * hour, 1, middle);
    expect(await seen(12)).to.equal(await colourOf(page, '--failed'));
    expect(await seen(22)).to.equal(await colourOf(page, '--fulfilled'));
    await page.context().close();
  });

  it('The keyboard goes to a row, to a run of it, and opens that', async () => {
    const page = await opened();
    // The first row has no runs.
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.getByText('no worker was alive').waitFor();
    await page.keyboard.press('ArrowLeft');
    await page.getByText('2 attempts:').waitFor();
    // The URL names the first choice before it names the second one, once that has stayed for a moment.
    const at = new Date(start + 12 * hour).toISOString();
    await page.waitForURL((url) => url.searchParams.get('at') === at);
    await page.reload();
    await page.getByText('2 attempts:').waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/runs/${failed}`);
    await page.context().close();
  });

  it('A press chooses a run, and a second one opens it', async () => {
    const page = await opened();
    await page.mouse.dblclick(...(await pointOf(page, 'Nightly backup', start + 12.5 * hour)));
    await page.waitForURL(`**/runs/${failed}`);
    await page.context().close();
  });

  it('The row that has the focus lists its runs for those who do not see the picture', async () => {
    const page = await opened();
    await rowOf(page, 'Nightly backup').focus();
    const list = page.getByRole('list', { name: 'Runs of Nightly backup' });
    expect(await list.getByRole('listitem').allTextContents()).to.deep.equal([
      'Tue 10 Mar 07:00 – 08:00: on time, due by 08:00',
      'Tue 10 Mar 13:00 – 14:00: failed, due by 14:00',
      'Tue 10 Mar 19:00 – 20:00: missed, due by 20:00',
    ]);
    await page.context().close();
  });

  it('The filters leave the rows that they name, say how many, and stand in the URL', async () => {
    const page = await opened();
    await page.getByText('1 of 2 templates on time. One was not.').waitFor();
    await page.getByText('Failed, missed, late 1').click();
    await rowOf(page, 'Orders').waitFor({ state: 'detached' });
    expect(new URL(page.url()).searchParams.get('show')).to.equal('bad');
    await page.getByText('All 4').click();
    await page.getByLabel('Name').fill('ORD');
    await rowOf(page, 'Nightly backup').waitFor({ state: 'detached' });
    expect(await rowOf(page, 'Orders').getByText('100%').count()).to.equal(1);
    await page.reload();
    await rowOf(page, 'Orders').waitFor();
    expect(await page.locator('[data-template]').count()).to.equal(1);
    await page.context().close();
  });

  it('Other periods, earlier and later times are shown, and Now goes on with the time', async () => {
    const page = await opened();
    await page.getByRole('button', { name: 'Earlier' }).click();
    await page.getByText('Mon 9 Mar 01:00 – Tue 10 Mar 01:00').waitFor();
    await page.keyboard.press(']');
    await page.getByText('Week', { exact: true }).click();
    await page.getByText('Sat 7 Mar 01:00 – Sat 14 Mar 01:00').waitFor();
    expect(new URL(page.url()).searchParams.get('period')).to.equal('week');
    await page.keyboard.press('Tab');
    await page.keyboard.press('n');
    await page.getByRole('button', { name: 'Now' }).and(page.locator(':disabled')).waitFor();
    expect(new URL(page.url()).search).to.equal('?period=week');
    await page.context().close();
  });

  it('Dragging moves the time, and the wheel with Ctrl zooms about the pointer', async () => {
    const page = await opened();
    const noon = await pointOf(page, 'Nightly backup', start + 12 * hour);
    await page.mouse.move(...noon);
    await page.keyboard.down('Control');
    await page.mouse.wheel(0, -300);
    await page.keyboard.up('Control');
    await page.waitForURL((url) => spanOf(url) < 12 * hour);
    const zoomed = await seenTime(page, noon[0]);
    expect(zoomed).to.be.closeTo(start + 12 * hour, 2 * 60_000);
    await page.mouse.down();
    await page.mouse.move(noon[0] - 100, noon[1], { steps: 3 });
    await page.mouse.up();
    await page.waitForURL((url) => Date.parse(url.searchParams.get('from') ?? '') > start + 8 * hour);
    expect(await seenTime(page, noon[0] - 100)).to.be.closeTo(start + 12 * hour, 2 * 60_000);
    await page.context().close();
  });

  it('Runs that are too many are counted, and Enter shows them one by one', async () => {
    const page = await opened();
    await page.mouse.click(...(await pointOf(page, 'Orders', start + 12 * hour + 60_000)));
    await page.getByText('5 on time').waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(/period=hour/);
    await page.getByText('1 attempt: succeeded after 5 s').waitFor();
    await page.context().close();
  });

  it('A run that failed is run again with r, and what another person adds appears', async () => {
    const page = await opened({}, `&row=${backup}&at=${new Date(start + 12 * hour).toISOString()}`);
    await page.getByRole('button', { name: 'Run again' }).waitFor();
    await page.keyboard.press('r');
    await page.getByText('Nightly backup runs again.').waitFor();
    // The run ends late, because its deadline has passed.
    await page.getByText('3 attempts:').waitFor();
    await page.locator('.card').getByText('late').waitFor();
    await world.service.addTemplate('Added meanwhile', ['-c', 'true'], { interval: 'daily', active: false });
    await rowOf(page, 'Added meanwhile').waitFor();
    await page.context().close();
  });

  it('A viewer sees the runs, and no button that runs one again', async () => {
    const page = await opened({ login: 'vera' }, `&row=${backup}&at=${new Date(start + 18 * hour).toISOString()}`);
    await page.getByText('no worker was alive').waitFor();
    expect(await page.getByRole('link', { name: 'Open' }).count()).to.equal(1);
    expect(await page.getByRole('button', { name: 'Run again' }).count()).to.equal(0);
    await page.context().close();
  });

  it('A timeline that cannot be read says why, and is read again', async () => {
    const page = await world.signedIn();
    await page.route('**/timeline.json*', (route) => route.abort());
    await page.getByRole('link', { name: 'Timeline' }).click();
    await page.getByRole('alert').getByText('does not answer').waitFor();
    await page.unroute('**/timeline.json*');
    await rowOf(page, 'Nightly backup').waitFor();
    await page.getByRole('alert').waitFor({ state: 'detached' });
    await page.context().close();
  });

  it('A name is shown as it is, whatever stands in it', async () => {
    const page = await opened();
    const name = page.locator('.name', { hasText: 'script' });
    expect(await name.textContent()).to.equal(hostileName);
    expect(await page.title()).not.to.equal('hit');
    await page.context().close();
  });

  it('States are drawn in their colours, also after other colours were chosen', async () => {
    const page = await opened();
    const pixel = () => pixelAt(page, 'Nightly backup', start + 12 * hour, 1.5);
    expect(await pixel()).to.equal(await colourOf(page, '--failed'));
    await page.emulateMedia({ colorScheme: 'dark' });
    const background = () => page.evaluate('getComputedStyle(document.body).backgroundColor');
    await eventually('the page is dark', async () => (await background()) === 'rgb(22, 21, 19)');
    await page.evaluate(nextFrame);
    expect(await pixel()).to.equal(await colourOf(page, '--failed'));
    await page.context().close();
  });

  it('On a phone a tap shows the card, a swipe moves the time, and two fingers zoom', async () => {
    const page = await opened({ viewport: { width: 390, height: 800 }, hasTouch: true, isMobile: true });
    await page.touchscreen.tap(...(await pointOf(page, 'Nightly backup', start + 18.3 * hour, 37)));
    await page.getByText('no worker was alive').waitFor();
    await page.getByRole('button', { name: 'Close' }).click();
    await page.getByText('no worker was alive').waitFor({ state: 'detached' });
    const [x, y] = await pointOf(page, 'Nightly backup', start + 12 * hour, 37);
    const devtools = await page.context().newCDPSession(page);
    await touch(devtools, 'touchStart', [[x, y]]);
    for (const moved of [20, 60, 90]) await touch(devtools, 'touchMove', [[x - moved, y]]);
    await touch(devtools, 'touchEnd', []);
    await page.waitForURL((url) => Date.parse(url.searchParams.get('from') ?? '') > start + 5 * hour);
    const { from } = await seenTimes(page);
    await touch(devtools, 'touchStart', [
      [x - 40, y],
      [x + 40, y],
    ]);
    for (const moved of [60, 80, 120])
      await touch(devtools, 'touchMove', [
        [x - moved, y],
        [x + moved, y],
      ]);
    await touch(devtools, 'touchEnd', []);
    await page.waitForURL((url) => spanOf(url) < 12 * hour);
    expect((await seenTimes(page)).from).to.be.above(from);
    await page.context().close();
  });

  for (const viewport of viewports)
    it(`The timeline and a card are accessible (${viewport.width} px)`, async () => {
      const page = await opened({ viewport }, `&row=${backup}&at=${new Date(start + 18 * hour).toISOString()}`);
      await page.getByText('no worker was alive').waitFor();
      await rowOf(page, 'Nightly backup').focus();
      await expectAccessible(page);
      await page.context().close();
    });
});
