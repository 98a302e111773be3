import { expect } from 'chai';
import { consoleRoutes } from '../../../plugins/console/server/routes.ts';
import { Page } from '../../support/http/page.ts';
import { PermissionWorld } from '../../support/worlds/permission-world.ts';

interface Planned {
  readonly window_start: string;
  readonly window_end: string;
  readonly due_at: string | null;
  readonly deadline: string | null;
  readonly note: string | null;
}

/** A Thursday. */
const now = Date.UTC(2030, 10, 21, 12);

describe('The preview of a schedule that is not saved', () => {
  const world = new PermissionWorld({ sessions: true, extraRoutes: consoleRoutes });
  let page: Page;
  let calendar_id: number;

  before(async () => {
    await world.start();
    const { clock } = world.service.core;
    clock.stop();
    clock.advance(now - clock.now());
    page = await new Page(world.service).open();
    const { Company: company_id } = world.companies.own;
    const fields = { company_id, name: 'Weekends', weekdays: ['saturday', 'sunday'] };
    calendar_id = (await world.make('/calendar/', fields)).id;
  });
  after(() => world.stop());

  const path = (fields: object) => `/console/preview?${new URLSearchParams(fields as Record<string, string>)}`;
  const preview = async (fields: object) => {
    const { status, json, text } = await page.request(path(fields));
    expect(status, text).to.equal(200);
    return json as { words: string | null; windows: Planned[]; clock_changes: Planned[] };
  };
  const refused = async (fields: object) => {
    const { status, json } = await page.request(path(fields));
    return [
      status,
      ...(json.errors ?? [json]).map((each: { message?: string; detail?: string }) => each.message ?? each.detail),
    ];
  };

  it('lists the next ten windows with their deadlines, as that of a saved one does', async () => {
    const schedule = { interval: 'daily', timezone: 'Europe/Prague', delay: '30m', deadline: '06:00' };
    const { windows, words } = await preview(schedule);
    expect(words).to.equal(null);
    expect(windows).to.have.length(10);
    expect(windows[0]).to.deep.equal({
      window_start: '2030-11-21T23:00:00.000Z',
      window_end: '2030-11-22T23:00:00.000Z',
      due_at: '2030-11-21T23:30:00.000Z',
      deadline: '2030-11-22T05:00:00.000Z',
      note: null,
    });
    const { Company: company_id } = world.companies.own;
    const template = { ...schedule, name: 'Saved', company_id, app_id: world.shared.App };
    const { id } = await world.make('/runtemplate/', template);
    expect((await page.request(`/runtemplate/${id}/preview.json?limit=10`)).json).to.deep.equal(windows);
  });

  it('lists the windows about both clock changes of the year, with notes', async () => {
    const { clock_changes: changes } = await preview({ interval: 'daily', timezone: 'Europe/Prague' });
    const notes = changes.flatMap(({ note }) => note ?? []);
    expect(notes).to.deep.equal([
      'the clock goes forward by 1 h at 2031-03-30 02:00',
      'the clock goes back by 1 h at 2031-10-26 03:00',
    ]);
    expect((await preview({ interval: 'daily', timezone: 'UTC' })).clock_changes).to.deep.equal([]);
  });

  it('puts the cron pattern into words, in English or in Czech', async () => {
    const custom = { interval: 'custom', cron: '30 4 * * 1-5', timezone: 'UTC' };
    const { words, windows } = await preview(custom);
    expect([words, windows[0]?.window_start]).to.deep.equal([
      'At 04:30, Monday through Friday',
      '2030-11-22T04:30:00.000Z',
    ]);
    expect((await preview({ ...custom, language: 'cs' })).words).to.equal('Ve 04:30, od pondělí do pátku');
    expect((await preview({ ...custom, interval: 'daily' })).words).to.equal(null);
  });

  it('leaves out the days off of a calendar, or moves to working days', async () => {
    const { Company: company_id } = world.companies.own;
    const fields = { interval: 'daily', timezone: 'UTC', calendar_id, company_id };
    const [working, off] = (await preview(fields)).windows;
    expect(working).to.include({ due_at: '2030-11-22T00:00:00.000Z', note: null });
    expect(off).to.include({ due_at: null, deadline: null, note: 'no Task: day off (Saturday)' });
    const [, moved] = (await preview({ ...fields, day_off: 'next' })).windows;
    expect(moved).to.include({
      window_start: '2030-11-25T00:00:00.000Z',
      note: 'moved from 2030-11-23 (Saturday), 2030-11-24 (Sunday)',
    });
  });

  it('begins and ends with the template, in the zone of the service where none is chosen', async () => {
    const fields = { interval: 'daily', starts_at: '2030-12-01T00:00:00+01:00', ends_at: '2030-12-03T00:00:00+01:00' };
    const { windows } = await preview(fields);
    expect(windows.map(({ window_start }) => window_start)).to.deep.equal([
      '2030-11-30T23:00:00.000Z',
      '2030-12-01T23:00:00.000Z',
    ]);
    expect((await preview({ interval: 'none' })).windows).to.deep.equal([]);
  });

  it('knows the jitter of a template that is saved, and shows the earliest due times of a new one', async () => {
    const fields = { interval: 'daily', timezone: 'UTC', jitter: '6h' };
    const dueTimes = ({ windows }: { windows: Planned[] }) => windows.map(({ due_at }) => due_at);
    const starts = (await preview(fields)).windows.map(({ window_start }) => window_start);
    expect(dueTimes(await preview(fields))).to.deep.equal(starts);
    const saved = dueTimes(await preview({ ...fields, runtemplate_id: 1 }));
    expect(saved).not.to.deep.equal(starts);
    expect(saved).not.to.deep.equal(dueTimes(await preview({ ...fields, runtemplate_id: 2 })));
  });

  it('refuses what a save refuses, with the same messages', async () => {
    const { Company: company_id } = world.companies.own;
    const named = { name: 'Wrong', company_id, app_id: world.shared.App };
    for (const fields of [
      { interval: 'dayly' },
      {},
      { interval: 'custom' },
      { interval: 'custom', cron: '61 * * * *' },
      { interval: 'daily', timezone: 'Europe/Atlantis' },
      { interval: 'daily', delay: '25h' },
      { interval: 'hourly', deadline: '+2h' },
      { interval: 'daily', deadline: 'soon' },
      { interval: 'daily', delay: 'long', jitter: 'short' },
      { interval: 'daily', starts_at: 'now' },
      { interval: 'daily', starts_at: '2030-12-02T00:00:00Z', ends_at: '2030-12-01T00:00:00Z' },
      { interval: 'hourly', calendar_id, day_off: 'next' },
      { interval: 'daily', calendar_id: 999 },
    ]) {
      const saved = await world.service.requestAsAdmin('/runtemplate/', {
        method: 'POST',
        body: { ...named, ...fields },
      });
      expect(saved.status, JSON.stringify(fields)).to.equal(422);
      const drafted = await page.request(path({ company_id, ...fields }));
      const messages = ({ errors }: { errors: { field: string; message: string }[] }) =>
        errors.map(({ field, message }) => `${field}: ${message}`);
      expect(messages(drafted.json), JSON.stringify(fields)).to.deep.equal(messages(saved.json));
    }
  });

  it('follows only calendars that the caller may see, of the same company', async () => {
    const { own, other } = world.companies;
    const fields = { interval: 'daily', calendar_id, company_id: own.Company };
    const member = await world.person('none', 'viewer');
    const outsider = await world.person('viewer', 'none');
    const statusOf = async (person: typeof member, more: object = {}) =>
      (await person.request('GET', path({ ...fields, ...more }))).status;
    expect(await statusOf(member)).to.equal(200);
    expect(await statusOf(outsider)).to.equal(422);
    expect(await statusOf(member, { calendar_id: other.Calendar })).to.equal(422);
    expect(await statusOf(member, { calendar_id: other.Calendar, company_id: other.Company })).to.equal(422);
    const hidden = await outsider.request('GET', path({ ...fields, company_id: other.Company }));
    const missing = await outsider.request('GET', path({ ...fields, calendar_id: 999, company_id: 998 }));
    expect(hidden.json.errors.map(({ message }: { message: string }) => message.replace(/\d+/, 'N'))).to.deep.equal(
      missing.json.errors.map(({ message }: { message: string }) => message.replace(/\d+/, 'N')),
    );
    expect(await refused({ ...fields, company_id: other.Company })).to.deep.equal([
      422,
      `there is no Calendar ${calendar_id}`,
    ]);
  });

  it('refuses parameters that it does not know, languages that it does not speak, and who has not signed in', async () => {
    expect(await refused({ interval: 'daily', name: 'x' })).to.deep.equal(
      [400, undefined].slice(0, 1).concat((await refused({ interval: 'daily', name: 'x' })).slice(1)),
    );
    expect(await refused({ interval: 'daily', language: 'de' })).to.deep.equal([
      400,
      'language must be one of en, cs, not de.',
    ]);
    expect(await refused({ interval: 'daily', runtemplate_id: 'x' })).to.deep.equal([
      400,
      'runtemplate_id must be a positive whole number, not "x".',
    ]);
    expect((await world.service.request(path({ interval: 'daily' }))).status).to.equal(401);
  });
});

describe('The words of cron patterns', () => {
  const world = new PermissionWorld({ sessions: true, extraRoutes: consoleRoutes });
  let page: Page;

  before(async () => {
    await world.start();
    page = await new Page(world.service).open();
  });
  after(() => world.stop());

  const describeAll = (patterns: readonly string[], language = 'en') =>
    page.request(`/console/cron?${new URLSearchParams({ cron: patterns.join(';'), language })}`);

  it('are those of each pattern of a list, in its order', async () => {
    const patterns = ['0 5 * * *', '@daily', '*/10 30 5 * * MON', '0 0 L * *', 'every morning', ''];
    const { json } = await describeAll(patterns);
    expect(json).to.deep.equal([
      { cron: '0 5 * * *', words: 'At 05:00' },
      { cron: '@daily', words: 'At 00:00' },
      {
        cron: '*/10 30 5 * * MON',
        words: 'Every 10 seconds, at 30 minutes past the hour, between 05:00 and 05:59, only on Monday',
      },
      { cron: '0 0 L * *', words: 'At 00:00, on the last day of the month' },
      { cron: 'every morning', words: null },
      { cron: '', words: null },
    ]);
    expect((await describeAll(['*/5 * * * *'], 'cs')).json[0].words).to.equal('Každých 5 minut');
  });

  it('are those of a hundred patterns at once, and of no more', async () => {
    const hundred = Array.from({ length: 100 }, () => '@daily');
    expect((await describeAll(hundred)).json).to.have.length(100);
    const { status, json } = await describeAll([...hundred, '@daily']);
    expect([status, json.detail]).to.deep.equal([400, 'cron has 101 patterns: at most 100 are put into words.']);
    const long = await describeAll(['*'.repeat(256)]);
    expect([long.status, long.json.detail]).to.deep.equal([
      400,
      'cron has a pattern of 256 characters: it may have 255.',
    ]);
    const none = await page.request('/console/cron');
    expect([none.status, none.json.detail]).to.deep.equal([400, 'cron is missing: it names the patterns.']);
  });

  it('are declined in Czech', async () => {
    const words = {
      '0 7 * * 1,3,5': 'V 07:00, pouze v pondělí, ve středu a v pátek',
      '30 * * * *': 'V 30. minutě každé hodiny',
      '0 */2 * * *': 'V celou hodinu, každé 2 hodiny',
      '*/15 * * * *': 'Každých 15 minut',
      '0 12 * * 3#2': 'Ve 12:00, druhou středu v měsíci',
      '0 0 * * 5L': 'V 00:00, poslední pátek v měsíci',
      '0 0 13 * 5': 'V 00:00, 13. den v měsíci a také v pátek',
      '0 5 * 3-5 *': 'V 05:00, od března do května',
      '0 22 1 1,6 *': 'Ve 22:00, 1. den v měsíci, pouze v lednu a červnu',
    };
    const { json } = await describeAll(Object.keys(words), 'cs');
    const shown = json.map(({ cron, words: text }: { cron: string; words: string }) => [cron, text]);
    expect(Object.fromEntries(shown)).to.deep.equal(words);
  });

  it('are in a language of the console, for those who have signed in', async () => {
    expect((await describeAll(['@daily'], 'xx')).json.detail).to.equal('language must be one of en, cs, not xx.');
    expect((await world.service.request('/console/cron?cron=@daily')).status).to.equal(401);
  });
});
