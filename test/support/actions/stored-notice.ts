import { noticeOf } from '@horarium/core/contracts';

/** Returns the notice of a failure as its delivery stores it: without what is added when it is delivered. */
export function storedNoticeOf(...of: Parameters<typeof noticeOf>) {
  const { output: _output, digest: _digest, link: _link, ...notice } = noticeOf(...of);
  return notice;
}
