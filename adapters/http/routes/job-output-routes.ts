import {
  badRequest,
  type Clock,
  formatInstant,
  Job,
  type OutputPage,
  type OutputStream,
  type QueryParameters,
  type Reply,
  type Route,
  type RouteContext,
  type RouteShape,
  type Sample,
  yieldToEventLoop,
} from '@horarium/core';
import { countSchema, objectOf, textSchema } from '../openapi/json-schemas.ts';
import { itemReply } from '../reply/item-reply.ts';
import { isExpected } from '../reply/problems.ts';
import { lastEventId } from '../request/last-event-id.ts';
import { readFlag } from '../request/query.ts';

const piece = objectOf({
  seq: countSchema,
  stream: { enum: ['stdout', 'stderr'] },
  at: { type: 'string', format: 'date-time' },
  text: textSchema,
});

const page: Sample = {
  schema: objectOf({
    job_id: { type: 'integer' },
    pieces: { type: 'array', items: piece },
    next: { type: ['integer', 'null'], description: 'The value of after that reads on from here.' },
    complete: { type: 'boolean', description: 'Whether the output has ended.' },
  }),
  example: {
    job_id: 1,
    pieces: [{ seq: 0, stream: 'stdout', at: '2026-11-20T23:30:01.000Z', text: 'dumping shop\n' }],
    next: 0,
    complete: true,
  },
};

const events: Sample = {
  schema: {
    ...textSchema,
    description:
      'Server-sent events: an event named output for each piece of the output, and one named end when the job has ended.',
  },
  example:
    'id: 0\nevent: output\ndata: {"seq":0,"stream":"stdout","at":"2026-11-20T23:30:01.000Z","text":"dumping shop\\n"}\n\nevent: end\ndata: {}\n\n',
};

const textMime = 'text/plain';

const outputShape: RouteShape = {
  operation: 'readJobOutput',
  tag: Job.names.plural,
  right: { resource: 'Job', verbs: ['read'] },
  parameters: {
    stream: { description: 'Only this stream.', schema: { type: 'string', enum: ['stdout', 'stderr'] } },
    after: { description: 'Only the pieces after this number.', schema: countSchema },
    follow: {
      description: 'Keep the connection open and send new output as server-sent events.',
      schema: { type: 'boolean', default: false },
    },
    download: {
      description: 'Send all that it has written so far as one text.',
      schema: { type: 'boolean', default: false },
    },
  },
  responses: {
    200: {
      description: 'What it wrote.',
      body: page,
      otherContent: {
        'text/event-stream': events,
        [textMime]: { schema: textSchema, example: 'dumping shop\n' },
      },
    },
  },
};

/** Serves the output of jobs: at once, or followed while they run. */
export const jobOutputRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/job/{jobId}/output.{suffix}',
    summary: 'Read the output of a job; with follow=true while it is written, with download=true as one text',
    authentication: 'required',
    shape: outputShape,
    handle: readOutput,
  },
];

async function readOutput(context: RouteContext): Promise<Reply> {
  const { core, actor, query, request } = context;
  const id = context.id('jobId');
  const stream = readStream(query);
  const after = lastEventId(request, query) ?? -1;
  // The first page is read before the stream begins, so that an unknown job is a plain 404 for followers too.
  const page = await core.jobs.output(actor, id, { stream, after });
  const isFollowed = readFlag(query, 'follow', false);
  if (readFlag(query, 'download', false)) {
    if (isFollowed) throw badRequest('download sends what there is: it does not go with follow.');
    const rest = (last: number) => core.jobs.output(actor, id, { stream, after: last });
    return { stream: { mime: `${textMime}; charset=utf-8`, pieces: textOf(page, rest) } };
  }
  if (isFollowed) {
    const readAfter = async (last: number) => {
      try {
        return await core.jobs.output(await context.currentActor(), id, { stream, after: last });
      } catch (error) {
        if (isExpected(error)) return null;
        throw error;
      }
    };
    return {
      stream: { mime: 'text/event-stream', pieces: follow(core.clock, page, after, readAfter, request.signal) },
    };
  }
  const decoder = new OutputDecoder();
  const pieces = page.pieces.map((piece) => decoder.decode(piece));
  const next = page.pieces.at(-1)?.seq ?? after;
  const value = { job_id: id, pieces, next: next < 0 ? null : next, complete: page.complete };
  const reply = itemReply('output', value, { pieces: { name: 'piece', fields: null } });
  return page.complete ? reply : { ...reply, more: next < 0 ? {} : { after: String(next) } };
}

function readStream(query: QueryParameters): OutputStream | null {
  const stream = query.get('stream') ?? null;
  if (stream === null || stream === 'stdout' || stream === 'stderr') return stream;
  throw badRequest(`stream must be stdout or stderr, not "${stream}".`);
}

/** The time between two polls of a follower, in milliseconds. */
const pollInterval = 250;
/** The number of polls without output after which a comment is sent, so that no proxy takes the connection for dead. */
const quietPolls = 60;

/**
 * Writes server-sent events: one `output` for each piece, with its sequence number as id, and `end` after the last one.
 * The stream ends without it when the caller may no longer read the job; the response to a reconnect says why.
 */
async function* follow(
  clock: Clock,
  first: OutputPage,
  after: number,
  readAfter: (last: number) => Promise<OutputPage | null>,
  signal: AbortSignal,
): AsyncIterable<string> {
  const decoder = new OutputDecoder();
  let last = after;
  let quiet = 0;
  for (let page: OutputPage | null = first; page && !signal.aborted; page = await readAfter(last)) {
    for (const piece of page.pieces) {
      await yieldToEventLoop();
      yield `id: ${piece.seq}\nevent: output\ndata: ${JSON.stringify(decoder.decode(piece))}\n\n`;
      last = piece.seq;
      quiet = 0;
    }
    if (page.complete) {
      yield 'event: end\ndata: {}\n\n';
      return;
    }
    if (page.pieces.length === 0) {
      if (quiet++ % quietPolls === 0) yield ': waiting\n\n';
      await clock.sleep(pollInterval, signal);
    }
  }
}

/** Writes the text of a page and of those behind it, each read when the client has taken the one before. */
async function* textOf(first: OutputPage, readAfter: (last: number) => Promise<OutputPage>): AsyncIterable<string> {
  const decoder = new OutputDecoder();
  for (let page = first; page.pieces.length > 0; ) {
    for (const piece of page.pieces) {
      await yieldToEventLoop();
      yield decoder.decode(piece).text;
    }
    if (page.complete) return;
    page = await readAfter(page.pieces.at(-1)?.seq ?? -1);
  }
}

/** Decodes output as text. A character that is split between two pieces is decoded with the second one. */
class OutputDecoder {
  readonly #decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() };

  decode({ seq, stream, at, data }: OutputPage['pieces'][number]) {
    return { seq, stream, at: formatInstant(at), text: this.#decoders[stream].decode(data, { stream: true }) };
  }
}
