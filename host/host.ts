import { Container, type ContainerModule, type ServiceIdentifier } from 'inversify';

/**
 * The container of the services that make up a process. Modules are added in the order in which they depend on each other;
 * disposal unloads them in the opposite order, each before the next. What has to be closed says so by the `onDeactivation`
 * of its binding: Inversify does not wait for one that a module declares for a service.
 */
export class Host implements AsyncDisposable {
  readonly #container = new Container({ defaultScope: 'Singleton' });
  readonly #modules: ContainerModule[] = [];

  async add(...modules: readonly ContainerModule[]): Promise<void> {
    for (const module of modules) {
      this.#modules.push(module);
      await this.#container.loadAsync(module);
    }
  }

  get<T>(id: ServiceIdentifier<T>): Promise<T> {
    return this.#container.getAsync(id);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (let module = this.#modules.pop(); module; module = this.#modules.pop())
      await this.#container.unloadAsync(module);
  }
}
