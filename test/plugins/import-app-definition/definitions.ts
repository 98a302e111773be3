import { declarableKey, keyProblem } from '@horarium/core/plugin';
import fc from 'fast-check';

const language = fc.constantFrom('en', 'cs', 'sk', 'de', 'no', 'ja');
const translatable = (text: fc.Arbitrary<string>) => fc.oneof(text, fc.dictionary(language, text, { minKeys: 1 }));
const localizedText = translatable(fc.string());
const name = fc.string({ minLength: 1 });
const variableKey = fc.stringMatching(/^[A-Z][A-Z0-9_]{0,8}$/).filter((key) => keyProblem(declarableKey, key) === null);
const dataName = fc.stringMatching(/^[\w-]{1,8}$/);
const strings = fc.array(fc.string(), { maxLength: 3 });
const json = fc.jsonValue({ maxDepth: 2 }).filter((value) => !JSON.stringify(value).includes('__proto__'));
const format = fc.constantFrom('file', 'json', 'text', 'url', 'custom');
const commandLine = fc.constantFrom('', 'a', '{A} ${B}', '--x="a b"  c', "'it' is", 'a\\ b', '-- "$HOME"');

const variable = fc.record(
  {
    type: fc.constantFrom('string', 'file-path', 'email', 'integer', 'float', 'bool', 'password', 'set', 'text'),
    category: fc.constantFrom('API', 'Database', 'Behavior', 'Security', 'Other'),
    description: localizedText,
    hint: localizedText,
    defval: fc.oneof(fc.string(), json),
    required: fc.boolean(),
    options: fc.oneof(strings, fc.dictionary(dataName, fc.string())),
    further: json,
  },
  { requiredKeys: [] },
);

const exitCode = fc.record(
  {
    description: localizedText,
    severity: fc.constantFrom('success', 'info', 'warning', 'error', 'critical'),
    retry: fc.boolean(),
  },
  { requiredKeys: ['description'] },
);

const artifact = fc.record(
  { name: translatable(name), path: name, type: name, description: localizedText },
  { requiredKeys: ['name', 'path', 'type'] },
);

const helm = fc.record(
  {
    enabled: fc.boolean(),
    releaseName: fc.constantFrom('a', 'a-1'),
    chart: fc.constantFrom('oci://x/y', 'repo/chart', './charts/here'),
    valuesFiles: fc.array(fc.string(), { minLength: 1, maxLength: 2 }),
    set: fc.dictionary(dataName, fc.oneof(fc.string(), fc.integer(), fc.boolean())),
    timeoutSeconds: fc.integer({ min: 1, max: 3600 }),
  },
  { requiredKeys: ['releaseName', 'chart'] },
);

/** Generates application definitions that follow the format. */
export const definitions = fc.record(
  {
    $schema: fc.constant('https://apps.example/schema.json'),
    name: translatable(name),
    title: localizedText,
    description: localizedText,
    image: fc.constantFrom('', 'https://a.example/b.png', 'data:image/png;base64,AAAA', 'logo.svg'),
    author: fc.string(),
    tags: strings,
    homepage: fc.constantFrom('https://a.example/?b=c', 'mailto:a@b.example'),
    uuid: fc.uuid(),
    version: fc.constantFrom('0', '1.2', '1.20.3', '1.2.3.4'),
    schemaVersion: fc.string(),
    ociimage: fc.constantFrom('alpine', 'r.example:5000/a/b:1.2-3'),
    executable: name,
    cmdparamsTemplate: commandLine,
    cmdparams: commandLine,
    environment: fc.dictionary(variableKey, variable, { maxKeys: 4 }),
    artifacts: fc.array(artifact, { maxLength: 3 }),
    produces: fc.dictionary(dataName, fc.record({ format, description: localizedText }, { requiredKeys: ['format'] })),
    consumes: fc.dictionary(dataName, fc.record({ format, required: fc.boolean() }, { requiredKeys: ['format'] })),
    events: fc.record({ emits: fc.dictionary(dataName, fc.record({ evidence: fc.string() })) }),
    exitCodes: fc.dictionary(fc.nat(255).map(String), exitCode, { maxKeys: 4 }),
    kubernetes: fc.record({ helm, artifacts: fc.record({ enabled: fc.boolean() }) }, { requiredKeys: ['helm'] }),
    requirements: strings,
    code: fc.stringMatching(/^[A-Z]{1,8}$/),
    topics: strings,
    setup: fc.string(),
    deploy: fc.string(),
    resultfile: fc.string(),
    stdin: fc.string(),
    enabled: fc.boolean(),
    'further-key': json,
  },
  { requiredKeys: ['$schema', 'name', 'description', 'executable', 'environment'], noNullPrototype: true },
);
