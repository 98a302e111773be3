import { createHmac } from 'node:crypto';
import type { Hmac } from '@horarium/core';
import type { Signer } from '#core/audit/audited-store';

/** The HMAC with which tests sign and seal the audit log. */
export const testHmac: Hmac = (data) => createHmac('sha256', 'a key of tests alone').update(data).digest('hex');

export const testSigner: Signer = async () => testHmac;
