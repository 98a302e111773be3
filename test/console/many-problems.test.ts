import { expect } from 'chai';
import type { Page, Request, Route } from 'playwright-core';
import { addTemplates, ceilToSecond } from '../bench/harness/templates-due.ts';
import { ConsoleWorld, describeInBrowser } from '../support/browser/console-world.ts';
import { addPastRuns, noonZone } from '../support/browser/run-history.ts';
import { followRequests } from '../support/browser/screen-walk.ts';

const hour = 3_600_000;
const minute = 60_000;

describeInBrowser('Now with many problems:', () => {
  let world: ConsoleWorld;
  before(async () => {
    world = await ConsoleWorld.create();
    const { service } = world;
    const store = await service.openStore();
    const at = ceilToSecond(Date.now() + 300 * 24 * hour);
    const [first, ...others] = await addTemplates(store, { count: 40, executor: 'external', at });
    const company = (await service.run('runtemplate:get', String(first))).company_id;
    for (const [index, id] of [first as number, ...others].entries()) {
      // Of runs that ended at different times the order is known.
      const start = Date.now() - 2 * hour - index * minute;
      const state = index < 25 ? 'failed' : 'fulfilled_late';
      const before = { start: start - hour, state: 'fulfilled' } as const;
      await addPastRuns(service, id, [before, { start, state }], company);
    }
  });
  after(() => world[Symbol.asyncDispose]());

  const pathOf = (request: Request) => request.url().replace(/^.*\/console\/api/, '');
  /** Follows what a page asks the service. */
  const asked = (page: Page): string[] => {
    const paths: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('/console/api/')) paths.push(pathOf(request));
    });
    return paths;
  };
  const explained = (paths: readonly string[]) =>
    paths
      .filter((path) => path.startsWith('/console/why'))
      .map((path) => new URLSearchParams(path.split('?')[1]).get('task_id')?.split(',').length);
  const rows = (page: Page) => page.getByRole('list', { name: 'Needs a person' }).locator('li[data-row]');

  it('A visit asks once for each thing, and once for what is known of all problems that are shown', async () => {
    const page = await world.signedIn({ timezoneId: noonZone() });
    await rows(page).nth(9).getByText('The window before was on time.').waitFor();
    const settled = followRequests(page);
    const paths = asked(page);
    await page.reload();
    await page
      .getByRole('list', { name: 'Done, but late' })
      .getByText('The window before was on time.')
      .nth(9)
      .waitFor();
    await settled();
    expect(explained(paths)).to.deep.equal([20]);
    const kinds = new Set(paths.map((path) => path.split('?')[0]));
    // The model is read when there is nothing else to do.
    kinds.delete('/console/model');
    expect([...kinds].sort()).to.deep.equal([
      '/changes',
      '/console/why',
      '/jobs.json',
      '/outlook.json',
      '/session',
      '/summary.json',
    ]);
    await page.context().close();
  });

  it('A problem beyond the first ones is explained once it is unfolded', async () => {
    const page = await world.signedIn({ timezoneId: noonZone() });
    await page.getByRole('button', { name: 'Show all 25' }).click();
    const row = rows(page).nth(20);
    expect(await row.innerText()).not.to.include('The window before');
    const paths = asked(page);
    await row.getByRole('button', { name: 'Why?' }).click();
    await row.getByText('The window before was on time.').waitFor();
    expect(explained(paths)).to.deep.equal([1]);
    await page.context().close();
  });

  it('A changed template has its problem explained again by itself, while all that is known stays shown', async () => {
    const page = await world.signedIn({ timezoneId: noonZone() });
    const row = rows(page).first();
    await row.getByText('The window before was on time.').waitFor();
    const name = await row.getByRole('link').first().innerText();
    const paths = asked(page);
    const held = new Promise<Route>((resolve) => page.route('**/console/why?*', resolve, { times: 1 }));
    const [{ id }] = await world.service.run('runtemplate:list', '--name', name);
    await world.service.run('runtemplate:save', '--id', String(id), '--note', 'looked at');
    const route = await held;
    expect(await rows(page).getByText('The window before was on time.').count()).to.equal(10);
    await Promise.all([page.waitForResponse(/console\/why/), route.continue()]);
    expect(explained(paths)).to.deep.equal([1]);
    await page.context().close();
  });
});
