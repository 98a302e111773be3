import { createHmac } from 'node:crypto';
import type { Hmac } from '@horarium/core';

/** Seals the audit log of tests. */
export const testHmac: Hmac = (data) => createHmac('sha256', 'a key of tests alone').update(data).digest('hex');
