import type { AnyResource } from '../resource/define-resource.ts';
import { AuditLog } from './audit-log.ts';

/** The audit log as channels read it: a resource that nobody can write to, so that it is listed like every other. */
export const AuditTrail: AnyResource = Object.freeze({
  ...AuditLog,
  summaryFields: [
    'id',
    'created_at',
    'channel',
    'actor',
    'action',
    'entity_type',
    'entity_id',
    'company_id',
    'changes',
  ],
  names: { singular: 'auditlog', plural: 'auditlog', id: 'auditLogId' },
  description: 'One create, update or delete of a record: who did it, when, through which channel, and what changed.',
  example: {
    user_id: 1,
    channel: 'http',
    actor: 'admin',
    action: 'update',
    entity_type: 'RunTemplate',
    entity_id: 1,
    company_id: 1,
    changes: { deadline: ['08:00', '06:00'] },
    ip: '203.0.113.7',
    request_id: '0d0f6a52-3f0e-4f66-9a3c-2f7d4f0f5a0b',
    seq: 42,
    hash: '5f16b1b5f0b4a4a0a3b7b4f3d3f0c5d6b7a8e9f0a1b2c3d4e5f60718293a4b5c',
  },
  operations: ['list', 'get'] as const,
  nested: false,
  key: [],
  company: 'company_id',
  companyFrom: undefined,
});
