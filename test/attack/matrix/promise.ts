import type { Client, Reply } from '../target.ts';
import type { Cast } from './cast.ts';

/** Shows on a running service that a phrase of SECURITY.md is true. @returns how it is not; null = it is. */
export type Proof = (cast: Cast) => Promise<string | null>;

/** The proofs of phrases in one cell of a table, by the phrase, which must be there. */
export type Proofs = Readonly<Record<string, Proof>>;

type Request = (cast: Cast) => Promise<Reply>;

/** The statuses by which the API says that a request is not for its caller. */
const denials: readonly number[] = [403, 404, 405];

/** Shows that all requests succeed. */
export function allowed(...requests: readonly Request[]): Proof {
  return expectStatus((status) => status >= 200 && status < 300, requests);
}

/** Shows that each request is denied. */
export function denied(...requests: readonly Request[]): Proof {
  return expectStatus((status) => denials.includes(status), requests);
}

/** Shows that each request is refused because of what it says, not because of who sends it. */
export function invalid(...requests: readonly Request[]): Proof {
  return expectStatus((status) => status === 422 || status === 400, requests);
}

function expectStatus(isExpected: (status: number) => boolean, requests: readonly Request[]): Proof {
  return async (cast) => {
    for (const request of requests) {
      const { request: sent, status, text } = await request(cast);
      if (!isExpected(status)) return `${sent} got ${status}: ${text.slice(0, 300)}`;
    }
    return null;
  };
}

/** Joins proofs of one phrase. */
export function all(...proofs: readonly Proof[]): Proof {
  return async (cast) => {
    for (const proof of proofs) {
      const failure = await proof(cast);
      if (failure !== null) return failure;
    }
    return null;
  };
}

/** The fields of a record of each kind that a caller could try to create. */
export function samples({ company, app }: { readonly company: number; readonly app: number }) {
  return {
    topic: { name: unique('Topic') },
    app: { name: 'App', executable: 'true' },
    credential_type: { code: unique('type'), name: 'Type', fields: [] },
    company: { code: unique('company'), name: 'Company' },
    credential: { name: 'Credential', company_id: company, values: {} },
    runtemplate: { name: 'Template', company_id: company, app_id: app, interval: 'none' },
  };
}

export type SampleKind = keyof ReturnType<typeof samples>;

/** Creates a record as a caller. */
export function create(client: Client, kind: SampleKind, fields: Parameters<typeof samples>[0]): Promise<Reply> {
  return client.post(`/${kind}/`, samples(fields)[kind]);
}

let made = 0;
function unique(name: string): string {
  made += 1;
  return `${name.toLowerCase()}-${process.pid}-${made}`;
}
