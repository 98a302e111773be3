import {
  type ErrorCode,
  type FieldError,
  HorariumError,
  PluginFailure,
  StoreUnavailable,
  TooManyRequests,
} from '@horarium/core';
import type { ResponseHeaders } from './response.ts';

/** Codes of errors that exist in HTTP only. */
type HttpOnlyCode =
  | 'method_not_allowed'
  | 'https_required'
  | 'payload_too_large'
  | 'unsupported_media_type'
  | 'internal';
export type ProblemCode = ErrorCode | HttpOnlyCode;

/** The status of each code, with the reason phrase of HTTP. */
export const statuses: Readonly<Record<ProblemCode, readonly [status: number, title: string]>> = {
  bad_request: [400, 'Bad Request'],
  unauthenticated: [401, 'Unauthorized'],
  denied: [403, 'Forbidden'],
  https_required: [403, 'Forbidden'],
  not_found: [404, 'Not Found'],
  method_not_allowed: [405, 'Method Not Allowed'],
  conflict: [409, 'Conflict'],
  precondition_failed: [412, 'Precondition Failed'],
  payload_too_large: [413, 'Content Too Large'],
  unsupported_media_type: [415, 'Unsupported Media Type'],
  invalid: [422, 'Unprocessable Content'],
  too_many_requests: [429, 'Too Many Requests'],
  internal: [500, 'Internal Server Error'],
  unavailable: [503, 'Service Unavailable'],
};

/** An error that only HTTP has: it has a code of its own, or headers such as `Allow`. */
export class HttpProblem extends Error {
  readonly code: ProblemCode;
  readonly headers: ResponseHeaders;

  constructor(code: ProblemCode, message: string, headers: ResponseHeaders = {}) {
    super(message);
    this.name = 'HttpProblem';
    this.code = code;
    this.headers = headers;
  }
}

/** An error as RFC 9457 writes it, with further members. */
export interface Problem {
  readonly type: 'about:blank';
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: ProblemCode;
  readonly request_id: string;
  readonly errors?: readonly FieldError[];
}

/** Converts anything that was thrown to a problem and its headers. Unexpected errors show nothing of their message. */
export function problemOf(error: unknown, requestId: string): { problem: Problem; headers: ResponseHeaders } {
  const expected = isExpected(error);
  const code = expected ? error.code : 'internal';
  const [status, title] = statuses[code];
  const detail = detailOf(error);
  const errors = error instanceof HorariumError && error.errors.length > 0 ? { errors: error.errors } : {};
  return {
    problem: { type: 'about:blank', title, status, detail, code, request_id: requestId, ...errors },
    headers: headersOf(error),
  };
}

/** Returns what the caller is told, which nothing internal is part of, such as the address of the database. */
function detailOf(error: unknown): string {
  if (error instanceof StoreUnavailable)
    return 'The database cannot be used at the moment; the log tells more under this request id.';
  if (error instanceof PluginFailure)
    return `The plugin ${error.plugin} failed; the log tells more under this request id.`;
  return isExpected(error) ? error.message : 'Something went wrong here; the log tells more under this request id.';
}

function headersOf(error: unknown): ResponseHeaders {
  if (error instanceof TooManyRequests) return { 'Retry-After': String(Math.ceil(error.retryAfter / 1000)) };
  return error instanceof HttpProblem ? error.headers : {};
}

/** Whether an error comes from the request or a known state of the service, and not from a bug. */
export function isExpected(error: unknown): error is HorariumError | HttpProblem {
  return error instanceof HorariumError || error instanceof HttpProblem;
}
