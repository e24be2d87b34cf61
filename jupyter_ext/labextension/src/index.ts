import {
  ILayoutRestorer,
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import {
  ICommandPalette,
  IThemeManager,
  WidgetTracker
} from '@jupyterlab/apputils';
import { IEditorServices } from '@jupyterlab/codeeditor';
import { DocumentRegistry } from '@jupyterlab/docregistry';
import { ILauncher } from '@jupyterlab/launcher';
import { INotebookTracker } from '@jupyterlab/notebook';
import { ISettingRegistry } from '@jupyterlab/settingregistry';
import { IStateDB } from '@jupyterlab/statedb';

import { GraphTab, IGraphContent, IOrigin } from './graphs/graphtab';
import { ferryIcon } from './icon';
import { magicBodies } from './lsp';
import { IPaired, ITraced, PanelModel } from './kernel/model';
import { Pages } from './graphs/pages';
import { PairGraph } from './graphs/pairgraph';
import { SidePanel } from './panel/panel';
import { ProgramGraph, SingleGraph } from './graphs/singlegraph';

const GRAPH = 'torchferry:graph';
const FOLDED = 'torchferry:folded';
const HINTED = 'torchferry:hinted';
const SHOW = 'torchferry:show';
const NEW = 'torchferry:new';
const RUN = 'torchferry:run';
const TRACE = 'torchferry:trace';
const COMPARE = 'torchferry:compare';
const FIX_ALL = 'torchferry:fix-all';
const RUN_ALL = 'torchferry:run-all';
const PORT = 'torchferry:port';
const CONVERT_ALL = 'torchferry:convert-all';
const STOP = 'torchferry:stop';

/** The side panel, its commands, and the graphs that it opens in the main area. */
const plugin: JupyterFrontEndPlugin<void> = {
  id: 'torchferry:panel',
  description: 'Findings, converted code and graph of the active cell.',
  autoStart: true,
  requires: [INotebookTracker, IEditorServices],
  optional: [
    ILayoutRestorer,
    IThemeManager,
    ICommandPalette,
    IStateDB,
    ILauncher,
    ISettingRegistry
  ],
  activate: (
    app: JupyterFrontEnd,
    notebooks: INotebookTracker,
    services: IEditorServices,
    restorer: ILayoutRestorer | null,
    themes: IThemeManager | null,
    palette: ICommandPalette | null,
    state: IStateDB | null,
    launcher: ILauncher | null,
    settings: ISettingRegistry | null
  ) => {
    const model = new PanelModel(
      notebooks,
      notebook => app.shell.activateById(notebook.id),
      path => app.commands.execute('docmanager:open', { path })
    );
    const tabs = new WidgetTracker<GraphTab>({ namespace: 'torchferry-graphs' });
    const isDark = () => !!themes?.theme && !themes.isLight(themes.theme);
    const make = async (
      origin: IOrigin,
      anew: boolean
    ): Promise<[IOrigin, IGraphContent]> => {
      if (origin.kind === 'program') {
        return [origin, new ProgramGraph(await model.program(origin), origin.call)];
      }
      const shown = await model.shown(origin, anew);
      return [{ ...origin, key: shown.graph.key }, await drawn(shown)];
    };
    const drawn = async (shown: ITraced | IPaired): Promise<IGraphContent> => {
      const { ModuleGraph } = await import('./graphs/modules/modulegraph');
      return new Pages(
        new ModuleGraph(shown.graph, place => model.revealPlace(shown.follower, place)),
        () => (isPair(shown) ? new PairGraph(model, shown) : new SingleGraph(model, shown))
      );
    };
    const add = (tab: GraphTab, options: DocumentRegistry.IOpenOptions = {}) => {
      tab.setTheme(isDark());
      tab.originChanged.connect(() => void tabs.save(tab));
      void tabs.add(tab);
      app.shell.add(tab, 'main', options);
    };
    const panel = new SidePanel(model, services, (shown, kind) => {
      const tab = new GraphTab(originOf(shown, kind, model.target), make);
      // A pair opens at the notebook, not in the half next to it that a graph has opened.
      const ref = kind === 'pair' ? shown.follower.notebook.id : undefined;
      add(tab, { mode: MODES[kind], ref });
      if (kind === 'program') {
        void tab.fill();
      } else {
        void drawn(shown).then(graph => tab.display(graph));
      }
      app.shell.activateById(tab.id);
    });
    app.commands.addCommand(GRAPH, {
      label: 'Show a Graph Again',
      execute: args => {
        const { id, ...origin } = args as unknown as IOrigin & { id: string };
        const tab = new GraphTab(origin, make, id);
        add(tab);
        void app.restored.then(() => tab.fillWhenSeen());
      }
    });
    void restorer?.restore(tabs, {
      command: GRAPH,
      args: tab => ({ ...tab.origin, id: tab.id }),
      name: tab => tab.id
    });
    app.shell.add(panel, 'right', { rank: 650, type: 'Torchferry' });
    restorer?.add(panel, panel.id);
    void state?.fetch(FOLDED).then(headings => {
      panel.folded = Array.isArray(headings) ? headings.map(String) : [];
      panel.foldedChanged.connect((_, folded) => void state.save(FOLDED, folded));
    });
    void state?.fetch(HINTED).then(hinted => {
      panel.head.hinting = !hinted;
      panel.head.read.connect(() => void state.save(HINTED, true));
    });
    void settings?.load(plugin.id).then(kept => {
      const read = () => {
        model.target = String(kept.composite.target);
        model.style = String(kept.composite.style);
      };
      // A change that is being saved here is ignored, and an earlier choice must not undo a later
      // one.
      let saving = 0;
      const save = async (name: 'target' | 'style') => {
        saving += 1;
        await kept.set(name, model[name]).finally(() => (saving -= 1));
      };
      read();
      kept.changed.connect(() => saving || read());
      model.changed.connect(() => {
        const names = ['target', 'style'] as const;
        names.filter(name => model[name] !== kept.composite[name]).forEach(name => void save(name));
      });
    });

    const followTheme = () => {
      panel.setTheme(isDark());
      tabs.forEach(tab => tab.setTheme(isDark()));
    };
    themes?.themeChanged.connect(followTheme);
    followTheme();

    const hasCell = () => !!model.follower?.cell;
    app.commands.addCommand(SHOW, {
      label: 'Show Torchferry',
      execute: () => app.shell.activateById(panel.id)
    });
    app.commands.addCommand(NEW, {
      label: 'Port a Notebook',
      caption: 'A new notebook with Torchferry’s panel next to it',
      icon: ferryIcon,
      execute: async args => {
        await app.commands.execute('notebook:create-new', { ...args, kernelName: args.kernelName ?? '' });
        app.shell.activateById(panel.id);
      }
    });
    launcher?.add({ command: NEW, category: 'Other', rank: 1 });
    app.commands.addCommand(RUN, {
      label: 'Run the Cell on Both Sides',
      isEnabled: hasCell,
      execute: async () => {
        app.shell.activateById(panel.id);
        await panel.run();
      }
    });
    app.commands.addCommand(TRACE, {
      label: "Trace the Cell's Model",
      isEnabled: hasCell,
      execute: async () => {
        app.shell.activateById(panel.id);
        await panel.trace();
      }
    });
    app.commands.addCommand(COMPARE, {
      label: "Compare the Cell's Model Node by Node",
      isEnabled: hasCell,
      execute: async () => {
        app.shell.activateById(panel.id);
        await panel.compare();
      }
    });
    app.commands.addCommand(FIX_ALL, {
      label: 'Convert the Cell in Place',
      isEnabled: hasCell,
      execute: async () => {
        app.shell.activateById(panel.id);
        await panel.fixAll();
      }
    });
    const hasNotebook = () => !!model.follower;
    const whole: [string, string, () => Promise<void>][] = [
      [RUN_ALL, 'Run All Cells on Both Sides', () => panel.overview.runAll()],
      [PORT, 'Port This Notebook', () => panel.overview.port()],
      [CONVERT_ALL, 'Convert All Cells in Place', () => panel.overview.convertAll()],
      [STOP, 'Stop Running Cells on Both Sides', () => panel.overview.stop()]
    ];
    for (const [command, label, act] of whole) {
      app.commands.addCommand(command, {
        label,
        isEnabled: hasNotebook,
        execute: async () => {
          app.shell.activateById(panel.id);
          await model.follower?.link.ready();
          await act();
        }
      });
    }
    for (const command of [SHOW, NEW, RUN, TRACE, COMPARE, FIX_ALL, RUN_ALL, PORT, CONVERT_ALL, STOP]) {
      palette?.addItem({ command, category: 'Torchferry' });
    }
  }
};

/** The position of a new tab: two sides, and a program with Netron's bar, need the whole room. */
const MODES = { trace: 'split-right', pair: 'tab-after', program: 'tab-after' } as const;

function isPair(shown: ITraced | IPaired): shown is IPaired {
  return 'rows' in shown.graph;
}

function originOf(shown: ITraced, kind: IOrigin['kind'], target: string): IOrigin {
  const { call, key, name } = shown.graph;
  const path = shown.follower.notebook.context.path;
  const titles = { trace: name, pair: `${name} ⇄ ${target}`, program: `${name}.pt2` };
  return { path, call, target, kind, key, title: titles[kind] };
}

export default [plugin, magicBodies];
