import { App, defineCommand, ref, Topic } from '@horarium/core/plugin';
import type { DefinedApp } from './defined-app.ts';
import { hasSecretDefault, writeAppDefinition } from './write-definition.ts';

/** `app:export ID` */
export const exportCommand = defineCommand({
  name: 'app:export',
  summary: 'Export an app as an application definition.',
  group: 'Import and export:',
  arguments: { id: ref('App', { description: 'the app' }).required() },
  async run({ core, actor, arguments: { id }, output }) {
    const app = await core.records(App).get(actor, id);
    const topics = await core.store.read((tables) => tables.of(Topic).find({ where: [['id', 'in', app.topics]] }));
    // In the order of the app, because `find` may return them in any other.
    const topic_names = app.topics.map((topicId) => topics.find(({ id }) => id === topicId)?.name ?? '');
    await output.write(writeAppDefinition({ ...app, topic_names } as DefinedApp));
    const secret = Object.keys(app.environment).filter((key) => hasSecretDefault(app.environment[key]));
    const [noun, verb] = secret.length === 1 ? ['default', 'is'] : ['defaults', 'are'];
    if (secret.length > 0)
      await output.note(
        `Warning: the ${noun} of ${secret.join(', ')} ${verb} secret, and left out: where the file is imported, the App has none.`,
      );
  },
});
