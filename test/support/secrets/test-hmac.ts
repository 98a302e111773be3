import { createHmac } from 'node:crypto';
import type { Hmac } from '@horarium/core';

/** The HMAC with which tests seal the audit log. */
export const testHmac: Hmac = (data) => createHmac('sha256', 'a key of tests alone').update(data).digest('hex');
