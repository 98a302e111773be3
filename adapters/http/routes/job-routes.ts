import {
  badRequest,
  type Claimed,
  formatInstant,
  type HttpRequest,
  isReport,
  Job,
  type JobChange,
  type JobRow,
  type OutputPage,
  type OutputStream,
  type QueryParameters,
  type Reply,
  type Route,
  type RouteContext,
  readCancellation,
  readClaim,
  readWholeNumber,
  recordInput,
  reportFields,
} from '@horarium/core';
import { HttpProblem, isExpected } from '../reply/problems.ts';
import { readPreconditions } from '../request/preconditions.ts';
import { yesOrNo } from '../request/query.ts';
import { withoutId } from '../request/record-input.ts';
import { header } from '../request/request.ts';
import { changeShape, outputShape, scheduleShape } from './job-shapes.ts';
import { queryId, savedReply } from './resource-routes.ts';
import { item } from './system-routes.ts';

/** What jobs can do beyond being records: be scheduled, claimed, reported, cancelled, and read from while they run. */
export const jobRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/job/',
    summary: 'Schedule a job ad hoc, or change, claim, report or cancel one',
    authentication: 'required',
    shape: scheduleShape,
    handle: async (exchange) => {
      const input = recordInput(Job, exchange.body, reportFields);
      return saveJob(exchange, input, queryId(exchange, 'jobId') ?? (input['id'] as number | undefined));
    },
  },
  {
    method: 'POST',
    path: '/job/{jobId}.{suffix}',
    summary: 'Change, claim, report or cancel a job',
    authentication: 'required',
    shape: changeShape,
    handle: async (exchange) => saveJob(exchange, recordInput(Job, exchange.body, reportFields), exchange.id('jobId')),
  },
  {
    method: 'GET',
    path: '/job/{jobId}/output.{suffix}',
    summary: 'Read what a job wrote; with follow=true as it comes',
    authentication: 'required',
    shape: outputShape,
    handle: readOutput,
  },
];

async function saveJob(exchange: RouteContext, given: Record<string, unknown>, id: number | undefined): Promise<Reply> {
  const { core, actor } = exchange;
  const input = withoutId(given, id);
  const version = versionWanted(exchange.request, id);
  if (id !== undefined && input['state'] === 'running') return claimJob(exchange, id, input, version);
  return exchange.inTransaction<JobRow>(
    (hooks) =>
      id === undefined
        ? core.jobs.schedule(actor, input, hooks)
        : changeJob(exchange, id, input, { ...hooks, version }),
    (tables, row) => savedReply(exchange, Job, tables, { row, created: id === undefined }),
  );
}

/** @throws HttpProblem 412 where a new job must be one that exists, or the other way round. */
function versionWanted(request: HttpRequest, id: number | undefined): number | undefined {
  const { version, createOnly, mustExist } = readPreconditions(request);
  if (id === undefined && (mustExist || version !== undefined))
    throw new HttpProblem('precondition_failed', 'If-Match is for jobs that exist; this would be a new one.');
  if (id !== undefined && createOnly)
    throw new HttpProblem('precondition_failed', `If-None-Match: * is for new jobs, not for Job ${id}.`);
  return version;
}

function changeJob({ core, actor }: RouteContext, id: number, input: Record<string, unknown>, hooks: JobChange) {
  if (input['state'] === 'cancelled') return core.jobs.cancel(actor, id, readCancellation(input), hooks);
  if (isReport(input)) return core.externalJobs.report(actor, id, input, hooks);
  return core.jobs.change(actor, id, input, hooks);
}

/**
 * The job with the address of its heartbeat. That holds a key which is told only once, so it is no part of what is kept
 * for the same request when it is sent again.
 */
async function claimJob(
  exchange: RouteContext,
  id: number,
  input: Record<string, unknown>,
  version: number | undefined,
): Promise<Reply> {
  const { core, actor } = exchange;
  readClaim(input);
  let address = '';
  const reply = await exchange.inTransaction<Claimed>(
    async (hooks) => {
      const claimed = await core.externalJobs.claim(actor, id, { ...hooks, version });
      address = claimed.pingUrl;
      return claimed;
    },
    (tables, { job }) => savedReply(exchange, Job, tables, { row: job, created: false }),
  );
  return { ...reply, value: { ...(reply.value as object), ping_url: address } };
}

async function readOutput(exchange: RouteContext): Promise<Reply> {
  const { core, actor, query, request, id: idOf } = exchange;
  const id = idOf('jobId');
  const stream = readStream(query);
  const after = readWholeNumber(query, 'after') ?? lastSeen(request) ?? -1;
  // Asked for at once, so that an unknown job is a plain 404 also for those who follow.
  const page = await core.jobs.output(actor, id, { stream, after });
  if (yesOrNo(query, 'follow', false)) {
    const more = async (last: number) => {
      try {
        return await core.jobs.output(await exchange.currentActor(), id, { stream, after: last });
      } catch (error) {
        if (isExpected(error)) return null;
        throw error;
      }
    };
    return { stream: { mime: 'text/event-stream', pieces: follow(core.clock, page, after, more, request.signal) } };
  }
  const text = new OutputText();
  const pieces = page.pieces.map((piece) => text.show(piece));
  const next = page.pieces.at(-1)?.seq ?? after;
  const value = { job_id: id, pieces, next: next < 0 ? null : next, complete: page.complete };
  const reply = item('output', value, { pieces: { name: 'piece', fields: null } });
  return page.complete ? reply : { ...reply, more: next < 0 ? {} : { after: String(next) } };
}

/** Where a browser that lost the stream of events wants to go on. */
function lastSeen(request: HttpRequest): number | undefined {
  const given = header(request, 'last-event-id');
  return given !== undefined && /^\d{1,15}$/.test(given) ? Number(given) : undefined;
}

function readStream(query: QueryParameters): OutputStream | null {
  const stream = query.get('stream') ?? null;
  if (stream === null || stream === 'stdout' || stream === 'stderr') return stream;
  throw badRequest(`stream must be stdout or stderr, not "${stream}".`);
}

/** How long a follower waits before it looks for more, in milliseconds. */
const pause = 250;
/** After so many pauses without output something is sent all the same, so that nobody takes the line for dead. */
const quietPauses = 60;

/**
 * Server-sent events: one `output` a piece, whose id is where to go on `after`, and `end` when nothing will follow. They
 * stop without it for whoever may not read on; a client that asks again is told why.
 */
async function* follow(
  clock: RouteContext['core']['clock'],
  first: OutputPage,
  after: number,
  more: (last: number) => Promise<OutputPage | null>,
  signal: AbortSignal,
): AsyncIterable<string> {
  const text = new OutputText();
  let last = after;
  let quiet = 0;
  for (let page: OutputPage | null = first; page && !signal.aborted; page = await more(last)) {
    for (const piece of page.pieces) {
      yield `id: ${piece.seq}\nevent: output\ndata: ${JSON.stringify(text.show(piece))}\n\n`;
      last = piece.seq;
      quiet = 0;
    }
    if (page.complete) {
      yield 'event: end\ndata: {}\n\n';
      return;
    }
    if (page.pieces.length === 0) {
      if (quiet++ % quietPauses === 0) yield ': waiting\n\n';
      await clock.sleep(pause, signal);
    }
  }
}

/** Bytes as text, with characters that a piece's end has cut in two put together again. */
class OutputText {
  readonly #decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() };

  show({ seq, stream, at, data }: OutputPage['pieces'][number]): object {
    return { seq, stream, at: formatInstant(at), text: this.#decoders[stream].decode(data, { stream: true }) };
  }
}
