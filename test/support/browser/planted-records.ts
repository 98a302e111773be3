import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { Webhook } from 'standardwebhooks';
import { checkedFetch } from '../http/checked-fetch.ts';
import { eventually } from '../mocha/eventually.ts';
import type { ConsoleWorld } from './console-world.ts';

/** Without an end, as no line of a page has room for it. */
const longWord = 'W'.repeat(60);
/** Ends what isolates it, turns the text that follows, and begins isolates that it does not end. */
const marks = 'a\u2069\u2069\u202Eb\u2067\u202E\u2067c';

/** Markup that would call `taken()`, marks for the direction of text, and a long word. */
export const planted = `<script>taken()</script>"><img src=x onerror=taken()>'${marks}${longWord}`;
/** The same without spaces, as logins are, and what stands where no markup may. */
const plantedTexts = [planted, planted.replace('<img src=x onerror=taken()>', '<svg/onload=taken()>'), longWord];

/** A value as the model describes it. */
interface ValueModel {
  readonly type: string;
  readonly choices?: readonly string[];
  readonly max?: number;
  readonly pattern?: string;
  readonly format?: string;
  readonly fields?: readonly FieldModel[];
  readonly item?: ValueModel;
  readonly value?: ValueModel;
  readonly keys?: { readonly max?: number; readonly pattern?: string };
}

interface FieldModel extends ValueModel {
  readonly name: string;
  readonly required?: boolean;
  readonly read_only?: boolean;
  readonly reference?: string;
  readonly names?: string;
}

interface ResourceModel {
  readonly name: string;
  readonly singular: string;
  readonly nested: boolean;
  readonly operations: readonly string[];
  readonly company: string | null;
  readonly fields: readonly FieldModel[];
}

type Fields = Readonly<Record<string, unknown>>;

/** Returns a text in the shape of a value: the first one that fits; undefined where none does. */
function plantedIn(value: ValueModel, texts: readonly string[]): unknown {
  switch (value.type) {
    case 'text':
      return texts.find(
        (text) =>
          text.length <= (value.max ?? text.length) &&
          (value.pattern === undefined || new RegExp(value.pattern, 'u').test(text)),
      );
    case 'scalar':
      return texts[0];
    case 'json':
      return { [String(texts[0])]: texts };
    case 'texts':
    case 'list': {
      const item = value.item && plantedIn(value.item, texts);
      return item === undefined ? undefined : [item];
    }
    case 'map': {
      const member = value.value && plantedIn(value.value, texts);
      return member === undefined ? undefined : { PLANTED: member };
    }
    case 'object':
      return Object.fromEntries(
        (value.fields ?? []).flatMap((field) => {
          const member = plantedIn(field, texts);
          return member === undefined ? [] : [[field.name, member]];
        }),
      );
    default:
      return undefined;
  }
}

/** What a record needs that no text can be: the rest follows from the model. */
const needed = (text: string, company: number, port: number, secret: string): Readonly<Record<string, Fields>> => ({
  App: {
    executable: '/bin/sh',
    arguments: ['-c', 'printf %s "$PLANTED"; printf "\\n\\033[31m%s\\033[0m\\n" "$PLANTED" >&2; exit 3'],
    executors: ['native'],
    stdin: '',
    environment: { PLANTED: { type: 'text', description: text, hint: text } },
    result_file: null,
  },
  Company: { id: company, code: undefined, run_as: null },
  CredentialType: { fields: [{ keyword: 'SECRET', name: text, type: 'password', description: text }] },
  Credential: { values: {} },
  Calendar: { weekdays: [], dates: [{ date: '2098-12-24', name: text }], working_dates: [] },
  RunTemplate: {
    interval: 'custom',
    cron: '0 0 1 1 *',
    environment: { PLANTED: text },
    on_failure: [{ action: 'webhook', url: `http://127.0.0.1:${port}/`, subject: text }],
    max_attempts: 2,
    retry_delay: 0,
  },
  MaintenanceWindow: { company_id: undefined, active: false },
  Pause: { company_id: undefined, starts_at: '2098-01-01T00:00:00Z' },
  EventSource: { kind: 'webhook', options: { secret }, companies: [company] },
  EventRule: { runtemplate_source_id: undefined, evidence: null, event: null, env_mapping: { PLANTED: '$.data.id' } },
});

/** What is added where, and which records are not added, because there are some. */
interface Planting {
  /** @default markup, marks for the direction of text and a long word */
  readonly texts?: readonly string[];
  /** @default 1 */
  readonly company?: number;
  /** Ids by the names of their resources. */
  readonly known?: Readonly<Record<string, number>>;
}

export interface PlantedRecords {
  /** By the name of their resource. */
  readonly ids: Readonly<Record<string, number>>;
  /** The fields that hold a planted text, by the name of the resource. */
  readonly fields: Readonly<Record<string, readonly string[]>>;
  /** The resources whose records belong to a company. */
  readonly owned: readonly string[];
}

/**
 * Adds a record of every kind that the model has, whose texts are planted, and what such records do: failed attempts with
 * output, a notice that is refused, and an event.
 */
export async function addPlantedRecords(
  world: ConsoleWorld,
  { texts = plantedTexts, company = 1, known = {} }: Planting = {},
): Promise<PlantedRecords> {
  const [text = ''] = texts;
  const receiver = createServer((request, response) => {
    request.resume();
    response.writeHead(410).end(text);
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const secret = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;
  const base = needed(text, company, (receiver.address() as AddressInfo).port, secret);
  const fields: Record<string, readonly string[]> = {};
  const ids: Record<string, number> = { ...known, Company: company };
  const page = await world.signedIn();
  const api = `${world.url}/console/api`;
  const model = (await (await page.request.get(`${api}/console/model`)).json()) as {
    readonly resources: readonly ResourceModel[];
  };
  for (const resource of model.resources) {
    const { name, operations, nested } = resource;
    if (!operations.includes('save') || nested || Object.hasOwn(known, name)) continue;
    const record = await addPlanted({ page, api, texts, ids }, resource, base[name] ?? {});
    ids[name] = record['id'] as number;
    fields[name] = Object.keys(record).filter((field) =>
      texts.some((each) => JSON.stringify(record[field]).includes(JSON.stringify(each).slice(1, -1))),
    );
  }
  await page.context().close();
  await world.post('/job', { runtemplate_id: ids['RunTemplate'] });
  if (!Object.hasOwn(known, 'EventSource')) await sendEvent(world, text, secret);
  await eventually('the jobs have ended and their notices are refused', async () => {
    const of = ['--runtemplate-id', String(ids['RunTemplate'])];
    const jobs = await world.service.run('job:list', ...of);
    const deliveries = await world.service.run('delivery:list', ...of);
    const count = Object.hasOwn(known, 'EventSource') ? 1 : 2;
    const isOver = jobs.length >= count && jobs.every((job: Fields) => job['finished_at']);
    return isOver && deliveries.some((delivery: Fields) => delivery['error']);
  });
  receiver.close();
  const owned = model.resources.filter(({ company: field }) => field !== null).map(({ name }) => name);
  return { ids, fields, owned };
}

/** Reports an event to the source that is planted. */
async function sendEvent({ url }: ConsoleWorld, text: string, secret: string): Promise<void> {
  const body = JSON.stringify({ type: text, data: { id: text } });
  const at = new Date();
  const headers = {
    'content-type': 'application/json',
    'webhook-id': 'planted',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': new Webhook(secret).sign('planted', at, body),
  };
  const path = `/hook/${encodeURIComponent(text)}`;
  const { status } = await checkedFetch(url + path, { method: 'POST', headers, body });
  if (status !== 202) throw new Error(`The event was answered with ${status}.`);
}

interface Place {
  readonly page: Page;
  readonly api: string;
  readonly texts: readonly string[];
  readonly ids: Readonly<Record<string, number>>;
}

/** Adds one record. What its resource refuses is left out. */
async function addPlanted(
  { page, api, texts, ids }: Place,
  { singular, fields }: ResourceModel,
  base: Fields,
): Promise<Fields> {
  const plantedFor = ({ name, reference, names, choices, ...field }: FieldModel): unknown => {
    if (Object.hasOwn(base, name)) return base[name];
    if (field.type === 'reference') return ids[reference ?? ''];
    if (field.type === 'choice') return field.required ? choices?.[0] : undefined;
    if (field.type === 'instant') return field.required ? '2098-12-24T00:00:00Z' : undefined;
    return names === undefined ? plantedIn({ ...field, ...(choices && { choices }) }, texts) : undefined;
  };
  const written = fields.filter(({ read_only }) => !read_only);
  let record: Fields = { ...base, ...Object.fromEntries(written.map((field) => [field.name, plantedFor(field)])) };
  for (;;) {
    const response = await page.request.post(`${api}/${singular}/`, {
      headers: { 'sec-fetch-site': 'same-origin' },
      data: record,
    });
    const answer = (await response.json()) as Fields;
    if (response.ok()) return answer;
    const refused = ((answer['errors'] ?? []) as readonly { readonly field: string }[]).map(
      ({ field }) => /^\w+/.exec(field)?.[0] ?? '',
    );
    const rest = Object.fromEntries(
      Object.entries(record).filter(([name]) => !refused.includes(name) || Object.hasOwn(base, name)),
    );
    if (Object.keys(rest).length === Object.keys(record).length)
      throw new Error(`${singular}: ${response.status()} ${JSON.stringify(answer)}`);
    record = rest;
  }
}
