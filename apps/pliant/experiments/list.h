// The experiments, in the order of `pliant experiment list`. One line each; apps/pliant/experiments/NAME.cpp has
// the rest.

PLIANT_EXPERIMENT(bender14_fig2)
PLIANT_EXPERIMENT(bender14_appendix_a)
PLIANT_EXPERIMENT(bender14_fig4)
PLIANT_EXPERIMENT(cao22_fig2)
PLIANT_EXPERIMENT(validation)
PLIANT_EXPERIMENT(settings)
PLIANT_EXPERIMENT(vibration)
PLIANT_EXPERIMENT(scale)
PLIANT_EXPERIMENT(bender14_fig5)
PLIANT_EXPERIMENT(bender14_fig6)
PLIANT_EXPERIMENT(bender14_fig8)
PLIANT_EXPERIMENT(bender14_fig9)
PLIANT_EXPERIMENT(bender14_fig11)
PLIANT_EXPERIMENT(cao22_table2)
PLIANT_EXPERIMENT(bender14_table1)
