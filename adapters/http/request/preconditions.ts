import { type AnyRow, badRequest, type HttpRequest } from '@horarium/core';
import { HttpProblem } from '../reply/problems.ts';
import { header } from './header.ts';

/** Returns the entity tag of a record: its revision, which only audited changes raise. */
export function entityTag(row: AnyRow): string | null {
  return row['revision'] === undefined ? null : `"v${row['revision']}"`;
}

/** Whether `If-None-Match` names the tag, so that the client has this state already. */
export function isUnchanged(request: HttpRequest, current: string | null): boolean {
  const tags = header(request, 'if-none-match');
  if (tags === undefined || current === null) return false;
  return tags.trim() === '*' || readTags(tags).some((tag) => tag.replace(/^W\//, '') === current);
}

export interface Preconditions {
  /** The version that the record must be at. */
  readonly version: number | undefined;
  /** The record must not exist yet. */
  readonly createOnly: boolean;
  /** The record must exist. */
  readonly mustExist: boolean;
}

/**
 * Reads `If-Match` and `If-None-Match` of a write.
 * @throws HttpProblem 412 for a tag that no record ever had; HorariumError `bad_request` for tags that a write cannot heed.
 */
export function readPreconditions(request: HttpRequest): Preconditions {
  const match = header(request, 'if-match')?.trim();
  const noneMatch = header(request, 'if-none-match')?.trim();
  if (noneMatch !== undefined && noneMatch !== '*') throw badRequest('If-None-Match of a write can only be *.');
  return {
    version: match === undefined || match === '*' ? undefined : readVersion(match),
    createOnly: noneMatch === '*',
    mustExist: match === '*',
  };
}

function readVersion(match: string): number {
  const tags = readTags(match);
  if (tags.length > 1) throw badRequest('If-Match can hold one entity tag here.');
  const version = /^"v(\d{1,15})"$/.exec(tags[0] ?? '')?.[1];
  if (version === undefined)
    throw new HttpProblem('precondition_failed', `If-Match ${match} is not a state that this record ever had.`);
  return Number(version);
}

function readTags(value: string): string[] {
  return value.match(/(?:W\/)?"[^"]*"/g) ?? [];
}
