import { createHmac } from 'node:crypto';
import type { Hmac } from '@horarium/core';

/** The HMAC that seals the audit log in tests. */
export const testHmac: Hmac = (data) => createHmac('sha256', 'a key of tests alone').update(data).digest('hex');
