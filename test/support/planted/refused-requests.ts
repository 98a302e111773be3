import { marker, secretFor } from './planted-secrets.ts';

/** Lists requests that the service rejects, with a planted secret in every part of a request that may hold one. */
export function refusedRequests(template: number): [path: string, body: unknown, headers?: Record<string, string>][] {
  const secret = secretFor('REFUSED');
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  const ascii = `${marker}REFUSED`;
  return [
    ['/login.json', { login: 'admin', password: [secret] }],
    ['/login.json', { login: secret, password: secret }],
    ['/login.json', { login: 'admin', password: secret }],
    [`/login.json?password=${ascii}`, { login: 'admin', password: secret }],
    [`/ping.json?job=1&key=${ascii}`, undefined],
    ['/apps.json', undefined, { authorization: `Bearer hor_${ascii}` }],
    ['/apps.json', undefined, { authorization: `Basic ${Buffer.from(`admin:${secret}`).toString('base64')}` }],
    ['/apps.json', undefined, { authorization: `Digest ${ascii}` }],
    ['/user/', { login: 'x', password: { a: secret } }],
    ['/user/', { login: 'x y', password: secret }],
    ['/user/1.json', { old_password: secret, password: secretFor('NEW') }],
    ['/user/', `login=x&password=${ascii}&password=${ascii}`, form],
    ['/user/', `{"login": "x", "password": "${ascii}" x}`],
    ['/user/', `{"login": "x", "password": ${ascii}}`],
    ['/user/', `{"login": "x", "password": "${ascii}`],
    ['/user/', `{"login": "x", "password": "${ascii}", "password": "${ascii}"}`],
    ['/user/', ascii, { 'content-type': 'text/plain' }],
    ['/credential/1.json', { values: { TYPED_CREDENTIAL: { a: secret } } }],
    ['/credential/1.json', { values: { TYPED_CREDENTIAL: secret, UNKNOWN: secret } }],
    ['/credential/1.json', { values: secret }],
    ['/credential_type/1.json', { fields: [{ keyword: 'A', type: 'nonsense', secret: true, default: secret }] }],
    ['/app/1.json', { environment: { KEY: { type: 'secret', default: [secret] } } }],
    ['/app/1.json', { environment: { 'no key': { type: 'secret', default: secret } } }],
    ['/eventsource/1.json', { options: { driver: 'pgsql', password: [secret] } }],
    ['/eventsource/1.json', { options: { driver: 'pgsql', unknown: secret } }],
    ['/eventsource/1.json', { kind: 'unknown', options: { password: secret } }],
    ['/company/1.json', { environment: { COMPANY_SECRET: [secret] } }],
    ['/company/1.json', { environment: { PATH: secret } }],
    ['/company/1.json', { environment: secret }],
    ['/company/1.json', `environment={"COMPANY_SECRET":"${ascii}"`, form],
    [`/runtemplate/${template}.json`, { executor: 'planted', executor_options: { key: { a: secret } } }],
    [`/runtemplate/${template}.json`, { executor: 'planted', executor_options: { unknown: secret } }],
    ['/job/', { runtemplate_id: template, environment: { UNDECLARED: secret } }],
    ['/job/', { runtemplate_id: template, environment: { JOB_OVERRIDE: [secret] } }],
  ];
}
