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
import { INotebookTracker } from '@jupyterlab/notebook';
import { IStateDB } from '@jupyterlab/statedb';

import { GraphTab } from './graphtab';
import { PanelModel } from './model';
import { PairTab } from './pairtab';
import { SidePanel } from './panel';

const FOLDED = 'torchferry:folded';
const SHOW = 'torchferry:show';
const TRACE = 'torchferry:trace';
const COMPARE = 'torchferry:compare';
const FIX_ALL = 'torchferry:fix-all';

/** The side panel, its commands, and the graphs that it opens in the main area. */
const plugin: JupyterFrontEndPlugin<void> = {
  id: 'torchferry:panel',
  description: 'Findings, converted code and graph of the active cell.',
  autoStart: true,
  requires: [INotebookTracker, IEditorServices],
  optional: [ILayoutRestorer, IThemeManager, ICommandPalette, IStateDB],
  activate: (
    app: JupyterFrontEnd,
    notebooks: INotebookTracker,
    services: IEditorServices,
    restorer: ILayoutRestorer | null,
    themes: IThemeManager | null,
    palette: ICommandPalette | null,
    state: IStateDB | null
  ) => {
    const model = new PanelModel(notebooks);
    const tabs = new WidgetTracker<GraphTab | PairTab>({ namespace: 'torchferry-graphs' });
    const isDark = () => !!themes?.theme && !themes.isLight(themes.theme);
    const open = (tab: GraphTab | PairTab, mode: DocumentRegistry.IOpenOptions['mode']) => {
      tab.setTheme(isDark());
      void tabs.add(tab);
      app.shell.add(tab, 'main', { mode });
      app.shell.activateById(tab.id);
    };
    const panel = new SidePanel(
      model,
      services,
      traced => open(new GraphTab(model, traced), 'split-right'),
      paired => open(new PairTab(model, paired), 'split-bottom')
    );
    app.shell.add(panel, 'right', { rank: 650, type: 'Torchferry' });
    restorer?.add(panel, panel.id);
    void state?.fetch(FOLDED).then(headings => {
      panel.folded = Array.isArray(headings) ? headings.map(String) : [];
      panel.foldedChanged.connect((_, folded) => void state.save(FOLDED, folded));
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
      execute: () => model.fix(null)
    });
    for (const command of [SHOW, TRACE, COMPARE, FIX_ALL]) {
      palette?.addItem({ command, category: 'Torchferry' });
    }
  }
};

export default plugin;
