import {
  badRequest,
  formatInstant,
  parseId,
  type QueryParameters,
  type Reply,
  type Route,
  type RouteContext,
  type RouteShape,
  readTimeBound,
  readWholeNumber,
} from '@horarium/core';
import { columnsOf } from './route-shape.ts';
import { previewShape, summaryShape } from './task-shapes.ts';

const mostWindows = 1000;

/** What is to come, and what came of it: answers that are no records. */
export const forecastRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/runtemplate/{runTemplateId}/preview.{suffix}',
    summary: 'List the windows that a run template will owe, from now on or between two times',
    authentication: 'required',
    shape: previewShape,
    handle: preview,
  },
  {
    method: 'GET',
    path: '/tasks/summary.{suffix}',
    summary: 'Count tasks by state for each run template and day, with the rate of those fulfilled in time',
    authentication: 'required',
    shape: summaryShape,
    handle: summary,
  },
];

async function preview({ core, actor, query, id }: RouteContext): Promise<Reply> {
  const most = readWholeNumber(query, 'limit') ?? 100;
  if (most < 1 || most > mostWindows) throw badRequest(`limit must be a whole number from 1 to ${mostWindows}.`);
  const from = edge(query, 'from', core.timezone) ?? core.clock.now();
  const to = edge(query, 'to', core.timezone) ?? null;
  const windows = await core.reports.preview(actor, id('runTemplateId'), { from, to, limit: most });
  const value = windows.map((window) => ({
    window_start: formatInstant(window.start),
    window_end: formatInstant(window.end),
    due_at: formatInstant(window.due),
    deadline: formatInstant(window.deadline),
  }));
  return listed(value, 'window', 'windows', previewShape);
}

async function summary({ core, actor, query }: RouteContext): Promise<Reply> {
  const to = edge(query, 'to', core.timezone) ?? core.clock.now();
  const from = edge(query, 'from', core.timezone) ?? null;
  const filters = Object.fromEntries(
    ['runtemplate_id', 'company_id'].flatMap((name) => {
      const given = query.get(name);
      return given === undefined ? [] : [[name, parseId(name, given)]];
    }),
  );
  const value = await core.reports.taskSummary(actor, { from, to, filters });
  return listed(value, 'summary', 'summaries', summaryShape);
}

function listed(value: readonly object[], name: string, many: string, { responses: gives }: RouteShape): Reply {
  return { value, shape: { kind: 'list', name, many, fields: null, summaryFields: columnsOf(gives[200]?.body) } };
}

function edge(query: QueryParameters, name: 'from' | 'to', timezone: string): number | undefined {
  const given = query.get(name);
  return given === undefined ? undefined : readTimeBound(name, given, timezone);
}
