import { expect } from 'chai';
import {
  invalidFields,
  type RecordWorld,
  recordWorld,
  refusal,
  smallCompany,
} from '../../support/worlds/record-world.ts';

const long = (length: number) => 'x'.repeat(length);
const https = 'https://example.com/a.png';

/** Invalid input for each resource, with the field that the error must name; all other fields are valid. */
const invalidInputs: Readonly<Record<string, readonly [input: object, field: string][]>> = {
  App: [
    [{ name: undefined }, 'name'],
    [{ name: long(256) }, 'name'],
    [{ name: '' }, 'name'],
    [{ executable: undefined }, 'executable'],
    [{ executable: long(1025) }, 'executable'],
    [{ uuid: 'x' }, 'uuid'],
    [{ code: long(65) }, 'code'],
    [{ enabled: 'yes' }, 'enabled'],
    [{ arguments: "'open" }, 'arguments'],
    [{ arguments: [1] }, 'arguments[0]'],
    [{ arguments: { a: 1 } }, 'arguments'],
    [{ homepage: 'javascript:alert(1)' }, 'homepage'],
    [{ image: 'http://example.com/a.png' }, 'image'],
    [{ image: 'data:image/svg+xml;base64,AAAA' }, 'image'],
    [{ image: 'data:text/html;base64,AAAA' }, 'image'],
    [{ tags: 'x' }, 'tags'],
    [{ topics: [99] }, 'topics'],
    [{ topics: ['x'] }, 'topics[0]'],
    [{ environment: [] }, 'environment'],
    [{ environment: { 'A-B': {} } }, 'environment.A-B'],
    [{ environment: { BASH_ENV: {} } }, 'environment.BASH_ENV'],
    [{ environment: { HORARIUM_JOB_ID: {} } }, 'environment.HORARIUM_JOB_ID'],
    [{ environment: { EVENT_ID: {} } }, 'environment.EVENT_ID'],
    [{ environment: { A: { type: 'colour' } } }, 'environment.A.type'],
    [{ environment: { A: { default: {} } } }, 'environment.A.default'],
    [{ environment: { A: { required: 'yes' } } }, 'environment.A.required'],
    [{ environment: { A: { colour: 1 } } }, 'environment.A'],
    [{ environment: { A: 'x' } }, 'environment.A'],
    [{ environment: JSON.parse('{"__proto__": {}}') }, 'environment.__proto__'],
    [{ exit_codes: { one: {} } }, 'exit_codes.one'],
    [{ exit_codes: { '01': {} } }, 'exit_codes.01'],
    [{ exit_codes: { '1': { severity: 'bad' } } }, 'exit_codes.1.severity'],
    [{ exit_codes: { '1': { description: { '?': 'x' } } } }, 'exit_codes.1.description.?'],
    [{ artifacts: [{ name: 'x', path: '(', type: 'x' }] }, 'artifacts[0].path'],
    [{ artifacts: [{ path: 'x', type: 'x' }] }, 'artifacts[0].name'],
    [{ result_file: '/etc/passwd' }, 'result_file'],
    [{ result_file: 'a/../../b' }, 'result_file'],
    [{ colour: 1 }, 'colour'],
  ],
  Company: [
    [{ code: undefined }, 'code'],
    [{ code: 'a b' }, 'code'],
    [{ code: long(65) }, 'code'],
    [{ name: undefined }, 'name'],
    [{ registration_number: long(33) }, 'registration_number'],
    [{ email: 'nobody' }, 'email'],
    [{ logo: 'x' }, 'logo'],
    [{ settings: [] }, 'settings'],
    [{ environment: { PATH: '/tmp' } }, 'environment.PATH'],
    [{ environment: { LD_PRELOAD: 'x' } }, 'environment.LD_PRELOAD'],
    [{ environment: { NODE_OPTIONS: 'x' } }, 'environment.NODE_OPTIONS'],
    [{ environment: { HORARIUM_JOB_ID: 'x' } }, 'environment.HORARIUM_JOB_ID'],
    [{ environment: { A: 5 } }, 'environment.A'],
    [{ environment: { A: null } }, 'environment.A'],
  ],
  User: [
    [{ login: undefined }, 'login'],
    [{ login: 'a b' }, 'login'],
    [{ login: 'a:b' }, 'login'],
    [{ login: long(65) }, 'login'],
    [{ email: '@' }, 'email'],
    [{ password: 'elevenchars' }, 'password'],
    [{ password: 123456789012 }, 'password'],
    [{ settings: 'x' }, 'settings'],
  ],
  Topic: [
    [{ name: undefined }, 'name'],
    [{ color: 'red' }, 'color'],
  ],
  CredentialType: [
    [{ code: undefined }, 'code'],
    [{ url: 'x' }, 'url'],
    [{ fields: [{ keyword: 'A' }, { keyword: 'A' }] }, 'fields[1].keyword'],
    [{ fields: [{ keyword: 'LD_PRELOAD' }] }, 'fields[0].keyword'],
    [{ fields: [{ keyword: 'EVENT_KEY' }] }, 'fields[0].keyword'],
    [{ fields: [{ keyword: 'A-B' }] }, 'fields[0].keyword'],
    [{ fields: [{}] }, 'fields[0].keyword'],
    [{ fields: [{ keyword: 'A', type: 'colour' }] }, 'fields[0].type'],
    [{ fields: [{ keyword: 'A', type: 'select' }] }, 'fields[0].options'],
  ],
  Credential: [
    [{ name: undefined }, 'name'],
    [{ company_id: undefined }, 'company_id'],
    [{ company_id: 99 }, 'company_id'],
    [{ credential_type_id: 99 }, 'credential_type_id'],
    [{ values: { OTHER: 'x' } }, 'values.OTHER'],
    [
      { credential_type_id: null, values: Object.fromEntries([...'ABCDE'].map((key) => [key, long(60_000)])) },
      'values',
    ],
    [{ credential_type_id: null, values: { A: long(65_537) } }, 'values.A'],
    [{ credential_type_id: null, values: { PERL5OPT: 'x' } }, 'values.PERL5OPT'],
    [{ values: { PORT: 'many' } }, 'values.PORT'],
    [{ values: { MAIL: 'nobody' } }, 'values.MAIL'],
    [{ values: { SITE: 'nowhere' } }, 'values.SITE'],
    [{ values: { KIND: 'c' } }, 'values.KIND'],
    [{ values: { ON: 'maybe' } }, 'values.ON'],
    [{ values: { LOGIN: null } }, 'values.LOGIN'],
    [{ values: { LOGIN: '' } }, 'values.LOGIN'],
    [{ values: { LOGIN: {} } }, 'values.LOGIN'],
    [{ expires_at: 'tomorrow' }, 'expires_at'],
  ],
  RunTemplate: [
    [{ name: undefined }, 'name'],
    [{ app_id: undefined }, 'app_id'],
    [{ app_id: 99 }, 'app_id'],
    [{ interval: undefined }, 'interval'],
    [{ interval: 'fortnightly' }, 'interval'],
    [{ interval: 'custom' }, 'cron'],
    [{ interval: 'custom', cron: '* * *' }, 'cron'],
    [{ interval: 'custom', cron: '0 0 30 2 *' }, 'cron'],
    [{ timezone: 'Mars/Olympus' }, 'timezone'],
    [{ delay: -1 }, 'delay'],
    [{ delay: 86_400 }, 'delay'],
    [{ delay: 80_000, jitter: 8_000 }, 'jitter'],
    [{ deadline: 'soon' }, 'deadline'],
    [{ interval: 'hourly', deadline: '08:00' }, 'deadline'],
    [{ deadline: '+2d' }, 'deadline'],
    [{ deadline: '+45s', delay: 60 }, 'deadline'],
    [{ starts_at: '2026-13-01T00:00:00Z' }, 'starts_at'],
    [{ starts_at: '2026-01-02T00:00:00Z', ends_at: '2026-01-02T00:00:00Z' }, 'ends_at'],
    [{ max_attempts: 0 }, 'max_attempts'],
    [{ max_attempts: 1.5 }, 'max_attempts'],
    [{ retry_backoff: 'random' }, 'retry_backoff'],
    [{ retry_delay: -1 }, 'retry_delay'],
    [{ timeout: 0 }, 'timeout'],
    [{ overlap: 'maybe' }, 'overlap'],
    [{ catch_up: 'some' }, 'catch_up'],
    [{ executor: 'docker' }, 'executor'],
    [{ executor_options: { colour: 1 } }, 'executor_options.colour'],
    [{ executor_options: { nice: 20 } }, 'executor_options.nice'],
    [{ executor: 'remote' }, 'executor_options.host'],
    [{ environment: { PATH: 'x' } }, 'environment.PATH'],
    [{ credentials: [99] }, 'credentials'],
    [{ on_success: [{ action: 'sing' }] }, 'on_success[0].action'],
    [{ on_failure: [{ url: 'x' }] }, 'on_failure[0].action'],
    [{ on_missed: [{ action: 'webhook' }] }, 'on_missed[0].url'],
    [{ on_missed: [{ action: 'log', level: 'loud' }] }, 'on_missed[0].level'],
    [{ on_missed: {} }, 'on_missed'],
    [{ successful_jobs_count: 1 }, 'successful_jobs_count'],
  ],
  EventSource: [
    [{ name: undefined }, 'name'],
    [{ kind: undefined }, 'kind'],
    [{ kind: 'carrier-pigeon' }, 'kind'],
    [{ options: {} }, 'options.host'],
    [{ options: { host: 'x', colour: 1 } }, 'options.colour'],
    [{ poll_interval: 0 }, 'poll_interval'],
  ],
  EventRule: [
    [{ runtemplate_id: undefined }, 'runtemplate_id'],
    [{ runtemplate_source_id: 1 }, 'event_source_id'],
    [{ event_source_id: null }, 'event_source_id'],
    [{ event_source_id: null, runtemplate_source_id: 1, event: 'exploded' }, 'event'],
    [{ operation: 'drop' }, 'operation'],
    [{ priority: 1.5 }, 'priority'],
    [{ env_mapping: { PATH: 'x' } }, 'env_mapping.PATH'],
    [{ env_mapping: { EVENT_ID: 'x' } }, 'env_mapping.EVENT_ID'],
    [{ env_mapping: { A: 1 } }, 'env_mapping.A'],
  ],
  CompanyUser: [
    [{ role: 'owner' }, 'role'],
    [{ user_id: 99 }, 'user_id'],
  ],
  UserRoles: [
    [{ role: 'king' }, 'role'],
    [{ user_id: 99 }, 'user_id'],
    [{ expires_at: 'never' }, 'expires_at'],
  ],
};

describe('Validation of records', () => {
  const validInputs = async (world: RecordWorld): Promise<Record<string, object>> => {
    const { app, company, template } = await smallCompany(world);
    const person = await world.save('User', { login: 'eva' });
    const type = await world.save('CredentialType', {
      code: 't',
      name: 't',
      fields: [
        { keyword: 'LOGIN', required: true },
        { keyword: 'PORT', type: 'integer' },
        { keyword: 'MAIL', type: 'email' },
        { keyword: 'SITE', type: 'url' },
        { keyword: 'ON', type: 'boolean' },
        { keyword: 'KIND', type: 'select', options: ['a', 'b'] },
      ],
    });
    const source = await world.save('EventSource', { name: 's', kind: 'changes-table', options: { host: 'x' } });
    const values = {
      LOGIN: 'eva',
      PORT: 5432,
      MAIL: 'a@example.com',
      SITE: 'https://example.com',
      ON: true,
      KIND: 'a',
    };
    return {
      App: { name: 'x', executable: 'x', image: https, environment: { A: { type: 'bool', default: true } } },
      Company: { code: 'x', name: 'x', logo: 'data:image/png;base64,AAAA', email: 'a@example.com' },
      User: { login: 'adam@example.com', password: 'twelve chars' },
      Topic: { name: 'x', color: '#A0b1C2' },
      CredentialType: { code: 'x', name: 'x', fields: [{ keyword: 'A', type: 'select', options: { a: 'A' } }] },
      Credential: { name: 'x', company_id: company.id, credential_type_id: type.id, values },
      RunTemplate: { name: 'x', app_id: app.id, company_id: company.id, interval: 'daily', deadline: '08:00' },
      EventSource: { name: 'x', kind: 'changes-table', options: { host: 'x' } },
      EventRule: { runtemplate_id: template.id, event_source_id: source.id },
      CompanyUser: { company_id: company.id, user_id: person.id },
      UserRoles: { user_id: person.id, role: 'viewer' },
    };
  };

  for (const [name, cases] of Object.entries(invalidInputs)) {
    it(`accepts a valid ${name}`, async () => {
      const world = recordWorld();
      const input = (await validInputs(world))[name] as object;
      expect(await world.save(name, input)).to.have.property('id');
    });

    for (const [invalid, field] of cases)
      it(`rejects a ${name} with ${JSON.stringify(invalid)?.slice(0, 90)} because of ${field}`, async () => {
        const world = recordWorld();
        const { [name]: input } = await validInputs(world);
        const before = (await world.audit()).length;
        const complete = Object.entries({ ...input, ...invalid }).filter(([, value]) => value !== undefined);
        expect(await invalidFields(world.save(name, Object.fromEntries(complete)))).to.include(field);
        expect(await world.audit()).to.have.length(before);
      });
  }

  it('reports all invalid fields at once', async () => {
    const world = recordWorld();
    const error = await refusal(world.save('Company', { code: 'a b', email: 'x', colour: 1 }));
    expect(error.errors.map(({ field }) => field)).to.have.members(['code', 'email', 'colour', 'name']);
    expect(error.message).to.match(/^Company is invalid: /);
  });

  it('reports each invalid field once', async () => {
    const world = recordWorld();
    const message = async (resource: string, input: object) => (await refusal(world.save(resource, input))).message;
    expect(await message('Topic', { name: 1, color: 'red' })).to.match(
      /^Topic is invalid: name must be a text; color [^:;]+$/,
    );
    expect(await message('RunTemplate', { name: 'x', company_id: 7, app_id: 7, interval: 'none' })).to.include(
      'company_id: there is no Company 7',
    );
  });

  it('suggests names for the first unknown fields only, because each takes a comparison with every known one', async () => {
    const world = recordWorld();
    const unknown = Object.fromEntries(
      Array.from({ length: 100 }, (_, index) => [`nam${String.fromCharCode(0x4e00 + index)}`, 1]),
    );
    const { errors } = await refusal(world.save('Topic', unknown));
    expect(errors.filter(({ message }) => message.includes('Did you mean name?'))).to.have.lengthOf(20);
    expect(errors).to.have.lengthOf(100);
  });

  it('looks at nothing under a key that is not allowed, so that no error repeats a long key', async () => {
    const world = recordWorld();
    const key = 'k'.repeat(10_000);
    const description = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`l${index}`, 1]));
    const { errors } = await refusal(
      world.save('App', { name: 'x', executable: 'x', exit_codes: { [key]: { description } } }),
    );
    expect(errors.map(({ field }) => field)).to.deep.equal([`exit_codes.${key.slice(0, 255)}…`]);
  });

  it('rejects input that is not an object', async () => {
    const world = recordWorld();
    for (const input of [[], 'x', 5])
      expect((await refusal(world.save('Topic', input as object))).code).to.be.a('string');
  });
});
